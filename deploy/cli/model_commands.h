// The commands that need a model in memory: `dflash` hands them to dflash-model, so that it stays quick itself.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds eval and dump; each becomes dflash-model when the command line is parsed.
void add_model_commands(CLI::App& app);

}  // namespace dflash
