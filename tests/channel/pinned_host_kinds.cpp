// The contract suite over pinned_host: on simulated devices, and in memory registered with the cpu; the sender in
// another thread, and in a process of its own.
#include "tests/channel/pinned_host_ends.h"

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  return {pinned_host_kind("simThread", late_sim_device, run_in_thread, false),
          pinned_host_kind("simProcess", late_sim_device, run_in_process, true),
          pinned_host_kind("cpuProcess", Device::cpu, run_in_process, true)};
}
