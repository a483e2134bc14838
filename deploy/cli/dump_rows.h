// dflash dump rows: the verdict on every row of files of conversations, and what is made of those that are kept.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand to `dump`. It prints one line of JSON for each row, and to standard error the shape of each file
/// and the ledger. Throws Error{input_file} for a file that cannot be used, after the rows before; rows that are left
/// out are no error.
void add_dump_rows(CLI::App& dump);

}  // namespace dflash
