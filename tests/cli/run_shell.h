// run_shell("dflash train x"): a command line, its exit code and what it wrote.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace dflash {

struct ShellResult {
  int exit_code = -1;
  std::string output;  // stdout, and stderr where the line says 2>&1
};

inline ShellResult run_shell(const std::string& line) {
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  ShellResult result;
  std::array<char, 4096> piece{};
  for (size_t count = 0; (count = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    result.output.append(piece.data(), count);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace dflash
