// How this room calls MPI: a failed call becomes an Error, and a wait looks again and again with growing pauses,
// because a blocking MPI call burns its core and knows no deadline.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "common/base/deadline.h"

namespace dflash {

/// Error{internal} with MPI's own words unless `code` is MPI_SUCCESS. `call` is the function that returned it.
void check_mpi(int code, const char* call);

/// Keeps memory for the life of the process: a wait for MPI was given up, and MPI may still read or write there.
void leave_to_mpi(std::shared_ptr<void> memory);

/// Calls `done` until it returns true. False when the deadline passed first; it is called at least once.
template <typename Done>
[[nodiscard]] bool poll_until(Deadline deadline, Done done) {
  constexpr std::chrono::nanoseconds kShortestPause = std::chrono::microseconds(50);
  constexpr std::chrono::nanoseconds kLongestPause = std::chrono::milliseconds(2);
  auto pause = kShortestPause;
  while (!done()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(std::min(pause, deadline.remaining()));
    pause = std::min(2 * pause, kLongestPause);
  }
  return true;
}

}  // namespace dflash
