// How this room calls MPI: a failed call becomes an Error, and a wait looks again and again with growing pauses,
// because a blocking MPI call burns its core and knows no deadline.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "common/base/deadline.h"

namespace dflash {

/// Error{internal} with MPI's own words unless `code` is MPI_SUCCESS. `call` is the function that returned it.
void check_mpi(int code, const char* call);

/// Keeps memory for the life of the process: a wait for MPI was given up, and MPI may still read or write there.
void leave_to_mpi(std::shared_ptr<void> memory);

/// The sleeps between the looks of one wait: 50 us, then each twice as long as the one before, up to the longest.
class GrowingPause {
 public:
  explicit GrowingPause(std::chrono::nanoseconds longest) : longest_(longest) {}
  /// Not beyond the deadline.
  void sleep(Deadline deadline) {
    std::this_thread::sleep_for(std::min(next_, deadline.remaining()));
    next_ = std::min(2 * next_, longest_);
  }

 private:
  std::chrono::nanoseconds longest_;
  std::chrono::nanoseconds next_ = std::chrono::microseconds(50);
};

/// Calls `done` until it returns true. False when the deadline passed first; it is called at least once.
template <typename Done>
[[nodiscard]] bool poll_until(Deadline deadline, Done done, GrowingPause& pause) {
  while (!done()) {
    if (deadline.expired()) return false;
    pause.sleep(deadline);
  }
  return true;
}

template <typename Done>
[[nodiscard]] bool poll_until(Deadline deadline, Done done) {
  GrowingPause pause(std::chrono::milliseconds(2));
  return poll_until(deadline, std::move(done), pause);
}

}  // namespace dflash
