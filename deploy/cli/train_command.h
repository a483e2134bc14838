// dflash train: checks the settings, shows what will run, and runs it under mpirun.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand; it runs when the line is parsed and leaves mpirun's exit code in `exit_code`. Error{config} or
/// {input_file} before anything is started, {peer_died} when a rank was killed.
void add_train_command(CLI::App& app, int& exit_code);

}  // namespace dflash
