// `dflash eval`: how many drafted tokens a target accepts, from the exported files, without an engine.
#pragma once

#include <CLI/App.hpp>

namespace dflash {

/// Adds the subcommand; it runs when the command line is parsed.
void add_eval_command(CLI::App& app);

}  // namespace dflash
