#include "deploy/cli/model_commands.h"

#include "common/base/file.h"
#include "common/base/format.h"
#include "deploy/cli/exec_program.h"

namespace dflash {
namespace {

void add_model_command(CLI::App& app, const std::string& name, const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command->set_help_flag();  // --help is dflash-model's to answer
  command->prefix_command();
  command->callback([command, name] {
    std::vector<std::string> arguments = {(program_folder() / "dflash-model").string(), name};
    for (const std::string& argument : command->remaining()) arguments.push_back(argument);
    exec_program(arguments, format("{} needs a build with LibTorch (DFLASH_TORCH=ON)", name));
  });
}

}  // namespace

void add_model_commands(CLI::App& app) {
  add_model_command(app, "eval", "measure how many drafted tokens the target accepts");
  add_model_command(app, "dump", "write what our models compute, to compare with another implementation");
}

}  // namespace dflash
