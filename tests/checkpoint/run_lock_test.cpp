#include "common/checkpoint/run_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

TEST(RunLock, OneRunAtATime) {
  const TempFolder temp;
  const auto run = temp.path() / "a/run";
  EXPECT_FALSE(is_run_live(run));
  {
    const RunLock lock(run);
    EXPECT_TRUE(is_run_live(run));
    expect_error(ErrorKind::config, "a run is live", [&] { const RunLock second(run); });
    EXPECT_FALSE(is_run_live(temp.path())) << "another folder";
  }
  EXPECT_FALSE(is_run_live(run));
  const RunLock again(run);
  EXPECT_TRUE(std::filesystem::is_empty(run)) << "a lock leaves nothing behind";
}

TEST(RunLock, EndsWithItsProcess) {
  const TempFolder temp;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const RunLock lock(temp.path());
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(is_run_live(temp.path()));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_run_live(temp.path()));
  close(ready[0]);
  close(ready[1]);
}

TEST(RunLock, AFileIsNoFolder) {
  const TempFolder temp;
  write_text(temp.path() / "file", "");
  expect_error(ErrorKind::checkpoint, "file", [&] { const RunLock lock(temp.path() / "file"); });
  EXPECT_FALSE(is_run_live(temp.path() / "file"));
}

}  // namespace
}  // namespace dflash
