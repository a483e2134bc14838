// How a command of `dflash` ends: what it throws becomes one line on standard error and the agreed exit code.
//
//   int main(int argc, char** argv) { return end_of_command("dflash", [&] { return run(argc, argv); }); }
//
// Threading: functions only.
#pragma once

#include <functional>
#include <string>

namespace dflash {

/// What `command` returns, or the exit code of what it throws. A file that may not be looked at is an input_file.
[[nodiscard]] int end_of_command(const std::string& name, const std::function<int()>& command);

/// For commands whose result is what they print. Error{no_space} and the like when standard output did not take all.
void require_all_printed();

}  // namespace dflash
