// dflash doctor: looks at this machine and says what a run would meet.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the subcommand; it runs when the line is parsed and leaves in `exit_code` 0, or 10 when something is bad.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace dflash
