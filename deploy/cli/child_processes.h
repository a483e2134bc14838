// The children of a process, as /proc tells.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

struct ChildProcess {
  pid_t pid = 0;
  std::string name;
  bool live = false;  // false: it has ended, and was not waited for
};

[[nodiscard]] std::vector<ChildProcess> children_of(pid_t parent);

/// Kills the children of this process, and waits for them, until there is none or the time is over. Returns the status
/// of one that had ended with an exit code that is not 0.
std::optional<int> end_children(std::chrono::nanoseconds time);

}  // namespace dflash
