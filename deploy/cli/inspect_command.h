// dflash inspect model DIR, dflash inspect drafter DIR: what a folder holds, and what is wrong with it.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand with its two; they run when the line is parsed and set `exit_code`: 0, or 11 when the folder has
/// a problem or breaks a rule. Error{input_file} for a folder without a config.json that can be read.
void add_inspect_command(CLI::App& app, int& exit_code);

}  // namespace dflash
