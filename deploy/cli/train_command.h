// dflash train: checks the settings, shows what will run, and becomes mpirun.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand; it runs when the line is parsed. Error{config} or {input_file} before anything is started.
void add_train_command(CLI::App& app);

}  // namespace dflash
