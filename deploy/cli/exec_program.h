// Becoming another program.
#pragma once

#include <string>
#include <vector>

namespace dflash {

/// Does not return when it works; what stands in stdout is written out first. `arguments[0]` is the program, looked up
/// in PATH where it holds no '/'. Error{config}, ending in `advice`, when it cannot be started.
[[noreturn]] void exec_program(const std::vector<std::string>& arguments, const std::string& advice);

}  // namespace dflash
