#include "common/mpi/whereabouts.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

namespace dflash {
namespace {

using Clock = std::chrono::steady_clock;

// The first entry of a process reads its environment for good: every test enters in a process of its own.

void check_entries() {
  Whereabouts where;
  EXPECT_STREQ(where.stage(), "start");
  EXPECT_EQ(where.sequence(), -1);
  EXPECT_EQ(where.entries(), 0u);
  where.enter("wait for a batch", 17);
  where.enter("train");
  EXPECT_STREQ(where.stage(), "train");
  EXPECT_EQ(where.sequence(), 17);
  EXPECT_EQ(where.entries(), 2u);
}

TEST(Whereabouts, SaysWhereTheLoopIs) {
  const pid_t child = fork();
  if (child == 0) {
    check_entries();
    _exit(HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Milliseconds that 50 entries take in a process whose environment holds this.
int64_t time_of_50_entries(const char* delays) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("DFLASH_STAGE_DELAYS", delays, 1);
    Whereabouts where;
    const auto begin = Clock::now();
    for (int64_t entry = 0; entry < 50; ++entry) where.enter("train", entry);
    const int64_t took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    _exit(write(ends[1], &took, sizeof took) == sizeof took ? 0 : 1);
  }
  int64_t took = -1;
  EXPECT_EQ(read(ends[0], &took, sizeof took), static_cast<ssize_t>(sizeof took));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  close(ends[0]);
  close(ends[1]);
  return took;
}

TEST(Whereabouts, PausesAsTheEnvironmentSays) {
  EXPECT_GE(time_of_50_entries("5:20"), 150) << "0 to 20 ms each, 500 ms on average";
}

TEST(Whereabouts, WithoutAMeaningThereIsNoPause) {
  for (const char* delays : {"", "5", "x:20", "5:0"}) EXPECT_LT(time_of_50_entries(delays), 150) << delays;
}

}  // namespace
}  // namespace dflash
