// dflash dump: what our code computes for given inputs, to compare with another implementation.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// text, chat, mask and rows are answered here; target and drafter become dflash-model. Sets `exit_code` to that of an
/// input file when a row could not be answered.
void add_dump_command(CLI::App& app, int& exit_code);

}  // namespace dflash
