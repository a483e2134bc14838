// run_in_thread, run_in_process: the two sides of a test, one here, one in another thread or in a forked process, with
// a line between them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <iostream>
#include <thread>

#include "tests/support/in_process_bootstrap.h"
#include "tests/support/socket_bootstrap.h"

namespace dflash {

using Side = std::function<void(Bootstrap& line)>;

/// An exception is a failure of the test: it must not take the other side down with it.
inline void run_side(const char* name, const Side& side, Bootstrap& line) {
  try {
    side(line);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "the side " << name << " threw: " << error.what();
  }
}

inline void run_in_thread(const Side& here, const Side& there) {
  auto [near_end, far_end] = InProcessBootstrap::make_pair();
  std::thread thread([&there, &line = *far_end] { run_side("in the thread", there, line); });
  run_side("here", here, *near_end);
  thread.join();
}

inline void run_in_process(const Side& here, const Side& there) {
  auto [near_end, far_end] = SocketBootstrap::make_pair();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    near_end.reset();
    run_side("in the process", there, *far_end);
    std::cout.flush();
    _exit(testing::Test::HasFailure() ? 1 : 0);  // no exit handlers: they belong to the parent
  }
  far_end.reset();
  run_side("here", here, *near_end);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the peer process failed";
}

}  // namespace dflash
