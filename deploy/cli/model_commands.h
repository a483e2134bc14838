// The commands that need a model in memory: `dflash` hands them to dflash-model, so that it stays quick itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dflash {

/// Adds eval and generate; they become dflash-model when the command line is parsed.
void add_model_commands(CLI::App& app);

/// Adds a command `name` to `parent` that becomes `dflash-model words... ` and all arguments that follow.
void add_model_command(CLI::App& parent, const std::string& name, const std::string& description,
                       const std::vector<std::string>& words);

}  // namespace dflash
