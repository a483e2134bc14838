// Time that this process was on a core: what else the machine does counts as little as can be.
#pragma once

#include <ctime>

namespace dflash::bench {

[[nodiscard]] inline double process_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace dflash::bench
