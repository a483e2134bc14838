// A point in time that is passed down to every wait, so that nested waits share one bound.
#pragma once

#include <algorithm>
#include <chrono>

namespace dflash {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// Now + `time`. A negative time has already passed.
  [[nodiscard]] static Deadline after(std::chrono::nanoseconds time) { return Deadline(Clock::now() + time); }

  [[nodiscard]] bool expired() const { return Clock::now() >= when_; }
  [[nodiscard]] Clock::time_point when() const { return when_; }
  /// Never negative.
  [[nodiscard]] std::chrono::nanoseconds remaining() const {
    return std::max(std::chrono::nanoseconds{0}, std::chrono::nanoseconds(when_ - Clock::now()));
  }

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

}  // namespace dflash
