#include "common/base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace dflash {
namespace {

/// A process that sleeps until it is killed.
pid_t start_sleeper() {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  return child;
}

TEST(ProcessWatch, SeesTheEndOfAProcessBeforeAnybodyWaitedForIt) {
  const pid_t child = start_sleeper();
  const ProcessWatch watch(child);
  EXPECT_FALSE(watch.ended());
  watch.kill();
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(watch.ended());
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(watch.ended());
  EXPECT_TRUE(ProcessWatch(child).ended()) << "there is no such process any more";
}

TEST(ProcessWatch, AStoppedProcessIsNotEndedButCanBeKilled) {
  const pid_t child = start_sleeper();
  const ProcessWatch watch(child);
  ASSERT_EQ(kill(child, SIGSTOP), 0);
  ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
  EXPECT_FALSE(watch.ended());
  watch.kill();
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(watch.ended());
}

TEST(ProcessWatch, WatchesNobodyUntilToldWhom) {
  ProcessWatch watch;
  EXPECT_FALSE(watch.ended());
  watch.kill();
  watch = ProcessWatch(getpid());
  EXPECT_FALSE(watch.ended());
  const ProcessWatch moved = std::move(watch);
  EXPECT_FALSE(moved.ended());
}

TEST(OwnNodeId, IsTheSameInAnotherProcess) {
  const uint64_t here = own_node_id();
  const pid_t child = fork();
  if (child == 0) _exit(own_node_id() == here ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dflash
