// Asking in a child process: a driver that hangs or a library that crashes takes the child with it, not the doctor.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace dflash {

struct ChildAnswer {
  std::string text;     // what the child wrote to its stdout, at most about 64 KiB
  std::string failure;  // "no answer within 10 s", "ended by signal 11", "exit code 1"; empty: it ended well
};

/// Runs `body` in a forked child without stdin and stderr, and waits for its end. An exception of `body` is exit code 1
/// and its text. A child that outlives `within` is killed, with all that it started. Called while this process has
/// one thread. Error{internal} when there can be no child.
[[nodiscard]] ChildAnswer child_answer(const std::function<void()>& body, std::chrono::milliseconds within);

}  // namespace dflash
