// A monotonic stopwatch that starts when it is made.
#pragma once

#include <chrono>
#include <cstdint>

namespace dflash {

class Stopwatch {
 public:
  [[nodiscard]] int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace dflash
