// dflash-model: the commands of `dflash` that need a model in memory. `dflash` starts it; a person rarely does.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/base/allocator.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "deploy/model_cli/dump_command.h"
#include "deploy/model_cli/eval_command.h"
#include "deploy/model_cli/generate_command.h"

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  dflash::init_log("dflash");
  CLI::App app{"dflash-model: the commands of dflash that load models", "dflash"};
  app.require_subcommand(1);
  dflash::add_eval_command(app);
  dflash::add_dump_command(app);
  int exit_code = 0;
  dflash::add_generate_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : dflash::exit_code(dflash::ErrorKind::config);
  } catch (const dflash::Error& error) {
    std::fprintf(stderr, "dflash: %s\n", error.what());
    return dflash::exit_code(error.kind());
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    const std::string line(text.substr(0, text.find('\n')));  // LibTorch adds a stack of many lines
    std::fprintf(stderr, "dflash: unexpected: %s\n", line.c_str());
    return dflash::exit_code(dflash::ErrorKind::internal);
  }
  return exit_code;
}
