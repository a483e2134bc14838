#include "deploy/cli/prepare_command.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>

#include "common/base/console.h"
#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/stop_signal.h"
#include "common/data/prepare/console_events.h"
#include "common/data/rows/ledger_file.h"
#include "common/data/rows/row_file.h"
#include "common/text/chat_template/template_variables.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "\nThe folder holds memory-mapped shards of token ids and loss masks, and is the same for any number of threads.\n"
    "An interrupted run goes on behind its last whole shard when it is started again in the same words. A folder that\n"
    "is finished with the same files and settings is left as it is.\n"
    "Reasons and rules: common/data/prepare/README.md, common/data/rows/README.md.\n"
    "Example: dflash prepare 'chats/*.jsonl.gz' --model MODEL --output prepared";

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  std::string model;
  std::string format = "auto";
  std::string supervise;
  std::string too_long;
  std::string ledger;
  std::vector<std::string> variables;
  bool overwrite = false;
  PrepareSettings settings;
};

/// Of a model's config.json; nothing when there is none, or it does not say.
std::optional<int64_t> vocab_size_of(const std::filesystem::path& model) {
  if (!std::filesystem::exists(model / "config.json")) return std::nullopt;
  const Json config = read_json_file(model / "config.json");
  for (const char* pointer : {"/vocab_size", "/text_config/vocab_size"}) {
    const Json::json_pointer place(pointer);
    if (config.contains(place) && config[place].is_number_integer()) return config[place].get<int64_t>();
  }
  return std::nullopt;
}

PrepareSettings settings_of(const Options& options) {
  PrepareSettings settings = options.settings;
  if (!options.model.empty()) {
    settings.model = options.model;
    if (settings.tokenizer.empty()) settings.tokenizer = options.model;
    if (settings.chat_template.empty()) settings.chat_template = options.model;
    if (!settings.vocab_size) settings.vocab_size = vocab_size_of(options.model);
  }
  if (settings.tokenizer.empty() || settings.chat_template.empty()) {
    throw Error(ErrorKind::config, "prepare needs --model, or --tokenizer and --template");
  }
  settings.template_variables = parse_template_variables(options.variables);
  settings.supervise = parse_supervise(options.supervise);
  settings.too_long = parse_too_long(options.too_long);
  if (options.format != "auto") settings.shape = parse_row_shape(options.format);
  check_settings(settings);
  return settings;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int tell_outcome(const PrepareOutcome& outcome, const Options& options) {
  print(outcome.ledger.text(outcome.tokens_per_second));
  write_ledger_file(options.ledger, outcome.ledger.json());
  switch (outcome.end) {
    case PrepareEnd::written:
      print(format("{}: finished, {} rows\n", options.output, outcome.stored_rows));
      return 0;
    case PrepareEnd::existed:
      print(format("{}: was finished already from the same files with the same settings, nothing was done\n",
                   options.output));
      return 0;
    case PrepareEnd::stopped:
      break;
  }
  print(format("{}: stopped; {} rows are stored in whole shards, the same words go on behind them\n", options.output,
               outcome.stored_rows));
  return outcome.stored_rows > 0 ? kExitStoppedAndSaved : exit_code(ErrorKind::stopped);
}

int prepare(const Options& options) {
  const PrepareSettings settings = settings_of(options);
  const std::vector<std::string> files = expand_inputs(options.inputs);
  check_ledger_file(options.ledger, files);
  const Json key = prepare_key(files, settings);
  // A run that could not go on afterwards is ended by its signals at once.
  if (has_all_inputs(key)) note_stop_signals();
  Console console(std::cerr, isatty(STDERR_FILENO) == 1);
  const PrepareOutcome outcome = prepare_data(files, settings, key, options.output, console_events(console),
                                              options.overwrite ? FolderUse::overwrite : FolderUse::keep);
  return tell_outcome(outcome, options);
}

void add_text_options(CLI::App& command, Options& options) {
  command.add_option("--model", options.model,
                     "the target's folder: its tokenizer.json, chat template, special tokens and size of vocabulary");
  command.add_option("--tokenizer", options.settings.tokenizer, "a tokenizer.json, instead of the model's");
  command.add_option("--template", options.settings.chat_template,
                     "a Jinja file, a tokenizer_config.json or a folder, instead of the model's");
  command.add_option("--template-variable", options.variables, kTemplateVariableHelp)
      ->allow_extra_args(false);  // what follows may be a file
  command.add_option("--vocab-size", options.settings.vocab_size,
                     "ids must be below it; else what the model's config.json says");
  command.add_option("--mask-token-id", options.settings.mask_token_id,
                     "the drafter's noise: rows in which it is supervised are left out");
  command.add_option("--now", options.settings.now, "the time that templates see, YYYY-MM-DD HH:MM:SS")
      ->capture_default_str();
}

void add_rule_options(CLI::App& command, Options& options) {
  command.add_option("--supervise", options.supervise, "what is trained on: all_turns, last_turn or everything")
      ->default_val("all_turns");
  command.add_flag("!--no-reasoning", options.settings.reasoning,
                   "thoughts of the assistant, with their marks, are not supervised");
  command.add_option("--max-tokens", options.settings.max_tokens, "the longest row")->capture_default_str();
  command.add_option("--too-long", options.too_long, "what becomes of longer ones: cut or drop")->default_val("cut");
  command
      .add_option("--min-supervised", options.settings.min_supervised_tokens,
                  "rows with fewer supervised tokens after the cut are left out")
      ->capture_default_str();
}

}  // namespace

void add_prepare_command(CLI::App& app, int& code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("prepare", "make token ids and loss masks of files of conversations");
  command
      ->add_option("files", options->inputs,
                   "JSON lines, plain, .gz or .zst, or Parquet; patterns in quotes; - is standard input")
      ->required();
  command->add_option("--output", options->output, "the folder, new or of an interrupted run")->required();
  add_text_options(*command, *options);
  add_rule_options(*command, *options);
  command->add_option("--format", options->format, "auto, or " + row_shape_names())->capture_default_str();
  command->add_option("--threads", options->settings.threads, "workers; 0: one for each core")->capture_default_str();
  command->add_option("--ledger", options->ledger, "write the ledger to this file as JSON");
  command->add_flag("--overwrite", options->overwrite,
                    "remove what the folder holds of other files or settings, and damaged data");
  command->footer(kHelp);
  command->callback([options, &code] { code = prepare(*options); });
}

}  // namespace dflash
