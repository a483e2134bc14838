// dflash: what a person types. Each subcommand stands in a file of its own.
#include <CLI/CLI.hpp>

#include "common/base/command_end.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "deploy/cli/doctor_command.h"
#include "deploy/cli/dump_command.h"
#include "deploy/cli/inspect_command.h"
#include "deploy/cli/model_commands.h"
#include "deploy/cli/prepare_command.h"
#include "deploy/cli/train_command.h"

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  dflash train run.toml\n"
    "  dflash train run.toml --targets 2 --set train.lr=3e-4 --set run.dir=runs/b\n"
    "  dflash train --help-config\n"
    "  dflash prepare 'chats/*.jsonl.gz' --model MODEL --output prepared\n"
    "  dflash eval --target MODEL --drafter runs/a/checkpoints/step-00000600/drafter --prompts prompts.jsonl\n"
    "  dflash generate prompts.jsonl --target MODEL --output answers.jsonl\n"
    "  dflash dump target --target MODEL --input rows.safetensors --output ours.safetensors\n"
    "  dflash dump text --tokenizer tokenizer.json --input rows.jsonl\n"
    "  dflash dump chat --template MODEL --input chats.jsonl\n"
    "  dflash dump mask --tokenizer MODEL/tokenizer.json --template MODEL --input chats.jsonl\n"
    "  dflash dump rows --input 'chats/*.jsonl.gz'\n"
    "  dflash doctor --dir runs\n"
    "  dflash inspect model MODEL\n"
    "  dflash inspect drafter runs/a/checkpoints/step-00000600/drafter --target MODEL\n"
    "  dflash inspect data prepared --tokenizer MODEL --random 7\n"
    "\n"
    "Exit codes: 0 done, 10 settings or command line, 11 input file, 12 checkpoint, 13 out of space, 14 a rank died,\n"
    "15 stall, 16 not finite.";

int run(int argc, char** argv) {
  CLI::App app("Trains drafters for speculative decoding: one mpirun of coordinator, target and drafter workers.",
               "dflash");
  app.set_version_flag("--version", "dflash " DFLASH_VERSION);
  app.footer(kExamples);
  int exit_code = 0;
  dflash::add_train_command(app, exit_code);
  dflash::add_prepare_command(app, exit_code);
  dflash::add_model_commands(app);
  dflash::add_dump_command(app, exit_code);
  dflash::add_inspect_command(app, exit_code);
  dflash::add_doctor_command(app, exit_code);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty())
      throw CLI::RequiredError("a subcommand (train, prepare, generate, eval, dump, inspect or doctor)");
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return dflash::exit_code(dflash::ErrorKind::config);
  }
  // A run does not fail for a progress line that was lost.
  if (exit_code == 0 && !app.got_subcommand("train")) dflash::require_all_printed();
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  dflash::init_log("dflash");
  return dflash::end_of_command("dflash", [&] { return run(argc, argv); });
}
