#include "deploy/cli/dump_command.h"

#include <memory>
#include <string>

#include "common/base/error.h"
#include "deploy/cli/dump_text.h"
#include "deploy/cli/model_commands.h"

namespace dflash {
namespace {

constexpr const char* kTextHelp =
    "\nInput: a line of JSON for each row, with `text`. Output: a line for each row, with\n"
    "  ids, offsets, tokens            with the special tokens that the tokenizer adds; offsets count characters\n"
    "  decoded, decoded_skip_special   those ids as text, with and without special tokens\n"
    "  ids_plain, offsets_plain        without the special tokens that the tokenizer adds\n"
    "A row that cannot be answered gets `error`; the exit code is then 11.";

void add_dump_text(CLI::App& dump, int& code) {
  struct Options {
    std::string tokenizer;
    std::string input;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = dump.add_subcommand("text", "token ids, offsets and decoded text of a tokenizer.json");
  command->add_option("--tokenizer", options->tokenizer, "a tokenizer.json")->required();
  command->add_option("--input", options->input, "JSONL rows with `text`; - is standard input")->required();
  command->footer(kTextHelp);
  command->callback([options, &code] {
    if (dump_text(options->tokenizer, options->input) > 0) code = exit_code(ErrorKind::input_file);
  });
}

}  // namespace

void add_dump_command(CLI::App& app, int& exit_code) {
  CLI::App* dump = app.add_subcommand("dump", "write what our code computes, to compare with another implementation");
  dump->require_subcommand(1);
  add_dump_text(*dump, exit_code);
  add_model_command(*dump, "target", "hidden states and logits of a target", {"dump", "target"});
  add_model_command(*dump, "drafter", "block inputs, losses and gradients of a drafter", {"dump", "drafter"});
}

}  // namespace dflash
