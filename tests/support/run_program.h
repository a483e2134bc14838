// Runs one of our programs as a person would, with a time limit, and keeps what it printed.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "tests/support/paths.h"

namespace dflash::test {

struct ProgramResult {
  int exit_code = -1;
  std::string output;  // standard output and error together
};

/// `command_line` goes to the shell; programs of the build are found by name. Ends it after `limit_s` seconds (code
/// 124).
inline ProgramResult run_program(const std::string& command_line, int limit_s = 120) {
  const std::string quoted = "PATH=\"" + programs_dir().string() + ":$PATH\" timeout " + std::to_string(limit_s) + " " +
                             command_line + " 2>&1 </dev/null";
  FILE* pipe = popen(quoted.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  ProgramResult result;
  char piece[4096];
  for (size_t count = 0; (count = fread(piece, 1, sizeof piece, pipe)) > 0;) result.output.append(piece, count);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace dflash::test
