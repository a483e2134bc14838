#include "deploy/cli/dump_rows.h"

#include <cstdio>
#include <memory>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/data/rows/ledger_file.h"
#include "common/data/rows/row_file.h"
#include "common/data/rows/row_ledger.h"
#include "common/data/rows/row_parser.h"
#include "deploy/cli/json_rows.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "\nOutput: a line of JSON for each row, with `file`, `line`, `verdict` (accept or reject) and\n"
    "  accepted   messages and tools, or preformatted, or input_ids and loss_mask; untrained: messages that the row\n"
    "             takes out of training; cut: answers that ended at a limit; notes\n"
    "  rejected   reason, detail\n"
    "What depends on tokenizer or template (length, template errors) is not looked at here.";

struct Options {
  std::vector<std::string> inputs;
  std::string format = "auto";
  std::string ledger;
};

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

void put_chat(const Conversation& conversation, Json& row) {
  row["messages"] = conversation.messages;
  if (!conversation.tools.is_null()) row["tools"] = conversation.tools;
  for (size_t i = 0; i < conversation.trained.size(); ++i) {
    if (!conversation.trained[i]) row["untrained"].push_back(i);
    if (conversation.cut[i]) row["cut"].push_back(i);
  }
}

Json row_json(const std::string& file, int64_t line, const RowVerdict& verdict) {
  Json row{{"file", file}, {"line", line}, {"verdict", verdict.dropped ? "reject" : "accept"}};
  if (verdict.dropped) {
    row["reason"] = drop_reason_name(*verdict.dropped);
    row["detail"] = verdict.detail;
    return row;
  }
  const Conversation& conversation = verdict.conversation;
  if (!conversation.id.empty()) row["id"] = conversation.id;
  if (conversation.kind == ContentKind::chat) put_chat(conversation, row);
  if (conversation.kind == ContentKind::text) row["preformatted"] = conversation.text;
  if (conversation.kind == ContentKind::tokens) {
    row["input_ids"] = conversation.input_ids;
    row["loss_mask"] = conversation.loss_mask;
  }
  for (const RowNote note : verdict.notes) row["notes"].push_back(row_note_name(note));
  return row;
}

void dump_file(const std::string& path, std::optional<RowShape> shape, RowLedger& ledger) {
  RowFile file(path, shape);
  print(stderr, file.description() + "\n");
  RowParser parser;
  for (Line line; file.next(line);) {
    const RowVerdict verdict = parser.read(line, file.shape());
    ledger.count(verdict, path, line.number);
    print(stdout, row_line(row_json(path, line.number, verdict)));
  }
}

void tell_ledger(const RowLedger& ledger, const std::string& path) {
  std::fflush(stdout);
  print(stderr, ledger.text());
  write_ledger_file(path, ledger.json());
}

void dump_rows(const Options& options) {
  std::optional<RowShape> shape;
  if (options.format != "auto") shape = parse_row_shape(options.format);
  const std::vector<std::string> files = expand_inputs(options.inputs);
  check_ledger_file(options.ledger, files);
  RowLedger ledger;
  try {
    for (const std::string& path : files) dump_file(path, shape, ledger);
  } catch (const Error&) {
    tell_ledger(ledger, options.ledger);
    throw;
  }
  tell_ledger(ledger, options.ledger);
}

}  // namespace

void add_dump_rows(CLI::App& dump) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = dump.add_subcommand("rows", "what is made of the rows of files of conversations, and why not");
  command
      ->add_option("--input", options->inputs,
                   "files of JSON lines, plain, .gz or .zst, or Parquet; patterns in quotes; - is standard input")
      ->required();
  command->add_option("--format", options->format, "auto, or " + row_shape_names())->capture_default_str();
  command->add_option("--ledger", options->ledger, "write the ledger to this file as JSON");
  command->footer(kHelp);
  command->callback([options] { dump_rows(*options); });
}

}  // namespace dflash
