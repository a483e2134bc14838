#include "common/base/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace dflash {

int available_cores() {
  cpu_set_t cores;
  // Fails on machines with more cores than the set holds: then all that are online.
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace dflash
