// What this process may use of the machine: cores by its affinity, memory by the machine and its control groups.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/base/cores.h"
#include "common/plan/control_groups.h"
#include "common/plan/run_plan.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// memory.max of a control group; `otherwise` where it is "max" or cannot be read.
int64_t group_limit(const fs::path& folder, int64_t otherwise) {
  std::ifstream file(folder / "memory.max");
  int64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : otherwise;
}

int64_t available_memory() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  for (const fs::path& group : own_control_groups()) bytes = std::min(bytes, group_limit(group, bytes));
  return bytes;
}

}  // namespace

MachineFacts read_machine_facts() {
  return {available_cores(), available_memory()};
}

}  // namespace dflash
