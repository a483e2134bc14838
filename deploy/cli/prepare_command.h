// dflash prepare: files of conversations -> a folder of token ids and loss masks.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand. It tells shapes and progress on standard error and the ledger on standard output. Sets
/// `exit_code` to 143 when a signal ended it with whole shards stored, to 144 when none was. Throws prepare_data's
/// Errors.
void add_prepare_command(CLI::App& app, int& exit_code);

}  // namespace dflash
