#include "deploy/cli/dump_command.h"

#include <memory>
#include <string>

#include "common/base/error.h"
#include "common/text/chat_template/template_variables.h"
#include "deploy/cli/dump_chat.h"
#include "deploy/cli/dump_mask.h"
#include "deploy/cli/dump_rows.h"
#include "deploy/cli/dump_text.h"
#include "deploy/cli/model_commands.h"

namespace dflash {
namespace {

constexpr const char* kRowsHelp =
    "JSON lines, plain, .gz or .zst, or Parquet; a pattern in quotes; - is standard input";

constexpr const char* kNowHelp =
    "the time that strftime_now sees, YYYY-MM-DD HH:MM:SS; without it the local clock, so that the text changes from "
    "day to day (prepare: 2026-01-01 00:00:00)";

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
  command->add_option("--input", options->input, kRowsHelp)->required();
  command->footer(kTextHelp);
  command->callback([options, &code] {
    if (dump_text(options->tokenizer, options->input) > 0) code = exit_code(ErrorKind::input_file);
  });
}

constexpr const char* kChatHelp =
    "\nInput: a line of JSON for each row, with `messages` and, if wanted, tools, add_generation_prompt, bos_token,\n"
    "eos_token; its other keys are variables of the template, and go before --template-variable. With --raw a row has\n"
    "`context` (the variables) and may bring its own `template`, and messages are taken as they stand: nulls stay,\n"
    "reasoning is not copied.\n"
    "Output: a line for each row, with\n"
    "  text        what the template printed\n"
    "  generated   where {% generation %} blocks printed, in characters, when the template has them\n"
    "A row that cannot be rendered gets `error`; the exit code is then 11.";

void add_dump_chat(CLI::App& dump, int& code) {
  const auto options = std::make_shared<DumpChatOptions>();
  CLI::App* command = dump.add_subcommand("chat", "conversations as a chat template writes them");
  CLI::Option* chat_template = command->add_option("--template", options->chat_template,
                                                   "a Jinja file, a tokenizer_config.json or a model's folder");
  command->add_option("--template-variable", options->variables, kTemplateVariableHelp)
      ->allow_extra_args(false)
      ->needs(chat_template);
  command->add_option("--input", options->input, kRowsHelp)->required();
  command->add_flag("--raw", options->raw, "rows with `context`, or messages as they stand");
  command->add_option("--now", options->now, kNowHelp);
  command->footer(kChatHelp);
  command->callback([options, &code] {
    if (dump_chat(*options) > 0) code = exit_code(ErrorKind::input_file);
  });
}

constexpr const char* kMaskHelp =
    "\nInput: rows as of `dump chat`. Output: a line for each row, with\n"
    "  input_ids, loss_mask              the conversation's tokens, and 1 for those that a drafter may learn from\n"
    "  text                              what the template printed\n"
    "  rewritten_turns, unplaced_turns   turns that the template writes in another way once more messages follow, and\n"
    "                                    turns that were not found\n"
    "A row that cannot be answered gets `error`; the exit code is then 11.";

void add_dump_mask(CLI::App& dump, int& code) {
  const auto options = std::make_shared<DumpMaskOptions>();
  CLI::App* command = dump.add_subcommand("mask", "token ids and loss masks of conversations");
  command->add_option("--tokenizer", options->tokenizer, "a tokenizer.json")->required();
  command->add_option("--template", options->chat_template, "a Jinja file, a tokenizer_config.json or a model's folder")
      ->required();
  command->add_option("--template-variable", options->variables, kTemplateVariableHelp)->allow_extra_args(false);
  command->add_option("--input", options->input, kRowsHelp)->required();
  command->add_option("--supervise", options->supervise, "what counts as the assistant's")
      ->check(CLI::IsMember({"all_turns", "last_turn", "everything"}))
      ->default_val("all_turns");
  command->add_flag("!--no-reasoning", options->reasoning,
                    "thoughts of the assistant, with their marks, are not supervised");
  command->add_option("--now", options->now, kNowHelp);
  command->footer(kMaskHelp);
  command->callback([options, &code] {
    if (dump_mask(*options) > 0) code = exit_code(ErrorKind::input_file);
  });
}

}  // namespace

void add_dump_command(CLI::App& app, int& exit_code) {
  CLI::App* dump = app.add_subcommand("dump", "write what our code computes, to compare with another implementation");
  dump->require_subcommand(1);
  add_dump_text(*dump, exit_code);
  add_dump_chat(*dump, exit_code);
  add_dump_mask(*dump, exit_code);
  add_dump_rows(*dump);
  add_model_command(*dump, "target", "hidden states and logits of a target", {"dump", "target"});
  add_model_command(*dump, "drafter", "block inputs, losses and gradients of a drafter", {"dump", "drafter"});
}

}  // namespace dflash
