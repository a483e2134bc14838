#include "deploy/cli/model_commands.h"

#include <cstdlib>

#include "common/base/file.h"
#include "common/base/format.h"
#include "deploy/cli/exec_program.h"

namespace dflash {

void add_model_command(CLI::App& parent, const std::string& name, const std::string& description,
                       const std::vector<std::string>& words) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->set_help_flag();  // --help is dflash-model's to answer
  command->prefix_command();
  command->callback([command, words] {
    std::vector<std::string> arguments = {(program_folder() / "dflash-model").string()};
    arguments.insert(arguments.end(), words.begin(), words.end());
    for (const std::string& argument : command->remaining()) arguments.push_back(argument);
    // Threads that wait for each other sleep: on cores that others use too, spinning stops the work.
    setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
    exec_program(arguments, format("{} needs a build with LibTorch (DFLASH_TORCH=ON)", join(words, " ")));
  });
}

void add_model_commands(CLI::App& app) {
  add_model_command(app, "eval", "measure how many drafted tokens the target accepts", {"eval"});
  add_model_command(app, "generate", "have the target answer prompts, to train on its own words", {"generate"});
}

}  // namespace dflash
