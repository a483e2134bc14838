#include "common/base/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace dflash {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs `body` in a process of its own, since what is noted stays noted; returns its wait status.
int in_a_process(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(StopSignal, EverySignalThatEndsARunIsNotedAndEndsNothing) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    const int status = in_a_process([number] {
      note_stop_signals();
      if (stop_signal_time() || stop_signal_count() != 0) return false;
      const auto before = Clock::now();
      std::raise(number);
      const auto noted = stop_signal_time();
      return noted && *noted >= before && *noted <= Clock::now() && stop_signal_count() == 1;
    });
    EXPECT_EQ(status, 0) << "signal " << number;
  }
}

TEST(StopSignal, TheTimeIsThatOfTheFirstAndAllAreCounted) {
  const int status = in_a_process([] {
    note_stop_signals();
    std::raise(SIGTERM);
    const auto first = stop_signal_time();
    while (Clock::now() == *first) continue;
    std::raise(SIGUSR1);
    std::raise(SIGINT);
    return stop_signal_time() == first && stop_signal_count() == 3;
  });
  EXPECT_EQ(status, 0);
}

TEST(StopSignal, OtherSignalsEndTheProcessAsEver) {
  const int status = in_a_process([] {
    note_stop_signals();
    std::raise(SIGUSR2);
    return true;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGUSR2);
}

TEST(StopSignal, AProcessCanBeMadeToDieWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int status = in_a_process([&ends] {
    int ready[2];
    if (pipe(ready) != 0) return false;
    if (fork() == 0) {
      die_with_parent();
      (void)!write(ready[1], "x", 1);
      for (;;) pause();
    }
    char byte = 0;
    return read(ready[0], &byte, 1) == 1;  // then the parent ends
  });
  EXPECT_EQ(status, 0);
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the end of the last process that held the line";
}

}  // namespace
}  // namespace dflash
