// Starting another program: by becoming it, or by waiting for it.
#pragma once

#include <string>
#include <vector>

namespace dflash {

/// Does not return when it works; what stands in stdout is written out first. `arguments[0]` is the program, looked up
/// in PATH where it holds no '/'. Error{config}, ending in `advice`, when it cannot be started.
[[noreturn]] void exec_program(const std::vector<std::string>& arguments, const std::string& advice);

/// Starts the program and waits for its end; returns its exit code. SIGTERM and SIGHUP are handed on to it, SIGINT
/// reaches it from the terminal. A code above 128 (a rank of mpirun was killed by a signal), or a program that was
/// itself killed, is Error{peer_died} saying so. Error{config}, ending in `advice`, when it cannot be started.
[[nodiscard]] int run_and_wait(const std::vector<std::string>& arguments, const std::string& advice);

}  // namespace dflash
