// `dflash generate`: a target's own answers to prompts, to train a drafter on.
#pragma once

#include <CLI/App.hpp>

namespace dflash {

/// Adds the subcommand; it runs when the command line is parsed, and sets `exit_code` when a signal stopped it.
void add_generate_command(CLI::App& app, int& exit_code);

}  // namespace dflash
