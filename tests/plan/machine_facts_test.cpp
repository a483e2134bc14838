#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "common/plan/control_groups.h"
#include "common/plan/run_plan.h"

namespace dflash {
namespace {

TEST(MachineFacts, CoresAreThoseOfThisProcess) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(read_machine_facts().cores, CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(read_machine_facts().cores, 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(MachineFacts, MemoryIsAtMostTheMachines) {
  const int64_t all = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t bytes = read_machine_facts().memory_bytes;
  EXPECT_GT(bytes, 0);
  EXPECT_LE(bytes, all);
}

TEST(ControlGroups, GoUpToTheRoot) {
  const auto groups = own_control_groups();
  ASSERT_FALSE(groups.empty());
  EXPECT_EQ(groups.back(), "/sys/fs/cgroup");
  for (size_t i = 1; i < groups.size(); ++i) EXPECT_EQ(groups[i], groups[i - 1].parent_path());
}

}  // namespace
}  // namespace dflash
