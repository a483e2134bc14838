// `dflash dump`: tensors that anyone can compare with an implementation of their own.
#pragma once

#include <CLI/App.hpp>

namespace dflash {

/// Adds the subcommand with its own two, target and drafter; they run when the command line is parsed.
void add_dump_command(CLI::App& app);

}  // namespace dflash
