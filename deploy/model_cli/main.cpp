// dflash-model: the commands of `dflash` that need a model in memory. `dflash` starts it; a person rarely does.

#include <CLI/CLI.hpp>

#include "common/base/allocator.h"
#include "common/base/command_end.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "deploy/model_cli/dump_command.h"
#include "deploy/model_cli/eval_command.h"
#include "deploy/model_cli/generate_command.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"dflash-model: the commands of dflash that load models", "dflash"};
  app.require_subcommand(1);
  dflash::add_eval_command(app);
  dflash::add_dump_command(app);
  int exit_code = 0;
  dflash::add_generate_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return dflash::exit_code(dflash::ErrorKind::config);
  }
  if (exit_code == 0) dflash::require_all_printed();
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  dflash::init_log("dflash");
  return dflash::end_of_command("dflash", [&] { return run(argc, argv); });
}
