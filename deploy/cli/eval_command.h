// dflash eval: hands everything behind "eval" to dflash-model, which holds the models (and LibTorch, which dflash has
// not).
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand; it runs when the line is parsed and becomes dflash-model. Error{config} when that is not built.
void add_eval_command(CLI::App& app);

}  // namespace dflash
