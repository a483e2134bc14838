#include "deploy/cli/eval_command.h"

#include "common/base/file.h"
#include "deploy/cli/exec_program.h"

namespace dflash {

void add_eval_command(CLI::App& app) {
  CLI::App* eval = app.add_subcommand("eval", "measure how many drafted tokens the target accepts");
  eval->set_help_flag();  // --help is dflash-model's to answer
  eval->prefix_command();
  eval->callback([eval] {
    std::vector<std::string> arguments = {(program_folder() / "dflash-model").string(), "eval"};
    for (const std::string& argument : eval->remaining()) arguments.push_back(argument);
    exec_program(arguments, "eval needs a build with LibTorch (DFLASH_TORCH=ON)");
  });
}

}  // namespace dflash
