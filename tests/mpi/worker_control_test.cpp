// Three ranks: coordinator 0, played by the test over its link; target 1 and drafter 2 are workers. How a worker's
// process ends stands in worker_end_test.cpp.
#include "common/mpi/worker_control.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kWorker = 1;

Deadline late() {
  return Deadline::after(30s);
}

ControlMessage stop() {
  ControlMessage message;
  message.mutable_stop();
  return message;
}

class WorkerControlTest : public testing::Test {
 protected:
  const RoleMap roles = gather_test_roles();
  ControlLink link{roles};

  [[nodiscard]] bool coordinates() const { return roles.own_role() == Role::coordinator; }
  [[nodiscard]] bool works() const { return roles.own_rank() == kWorker; }
  void say(const ControlMessage& message) {
    link.send(kWorker, message);
    link.flush(late());
  }
  /// The next message but a heartbeat.
  [[nodiscard]] ControlMessage hear() {
    for (;;) {
      const std::optional<Incoming> incoming = link.wait(late());
      if (!incoming) throw Error(ErrorKind::stall, "no message came");
      if (!incoming->message.has_heartbeat()) return incoming->message;
    }
  }
  [[nodiscard]] Heartbeat hear_heartbeat(Deadline deadline) {
    for (;;) {
      const std::optional<Incoming> incoming = link.wait(deadline);
      if (!incoming) throw Error(ErrorKind::stall, "no heartbeat came");
      if (incoming->message.has_heartbeat()) return incoming->message.heartbeat();
    }
  }
};

TEST_F(WorkerControlTest, APingIsAnsweredWhileTheLoopIsBusy) {
  if (coordinates()) {
    ControlMessage message;
    message.mutable_ping();
    for (int count = 0; count < 5; ++count) {
      say(message);
      EXPECT_TRUE(hear().has_pong());
    }
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    while (!control.stopped()) std::this_thread::sleep_for(1ms);  // a loop that looks at no message
  }
}

TEST_F(WorkerControlTest, WhatIsForTheLoopComesInOrder) {
  if (coordinates()) {
    ControlMessage message;
    for (int64_t step = 0; step < 100; ++step) {
      message.mutable_checkpoint_request()->set_step(step);
      say(message);
    }
    EXPECT_EQ(hear().batch_trained().sequence(), 7);
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    for (int64_t step = 0; step < 100; ++step) {
      EXPECT_EQ(control.wait(late()).value().checkpoint_request().step(), step);
    }
    EXPECT_FALSE(control.poll());
    EXPECT_FALSE(control.wait(Deadline::after(20ms)));
    EXPECT_FALSE(control.stopped());
    ControlMessage message;
    message.mutable_batch_trained()->set_sequence(7);
    control.send(message);
    EXPECT_TRUE(control.wait_for_stop(late()));
  }
}

TEST_F(WorkerControlTest, StopWakesWhoWaits) {
  if (coordinates()) {
    EXPECT_TRUE(hear().has_hello());
    std::this_thread::sleep_for(100ms);
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    EXPECT_FALSE(control.stopped());
    EXPECT_FALSE(control.wait_for_stop(Deadline::after(10ms)));
    ControlMessage message;
    message.mutable_hello();
    control.send(message);
    const Deadline deadline = late();
    EXPECT_FALSE(control.wait(deadline));
    EXPECT_FALSE(deadline.expired());
    EXPECT_TRUE(control.stopped());
    EXPECT_TRUE(control.wait_for_stop(Deadline::after(0s)));
    EXPECT_FALSE(control.poll());
  }
}

TEST_F(WorkerControlTest, TellsAtOnceWhenTheLoopIsSomewhereElse) {
  if (coordinates()) {
    EXPECT_EQ(hear_heartbeat(late()).stage(), "start");
    std::this_thread::sleep_for(1s);  // what comes meanwhile waits
    ControlMessage message;
    message.mutable_lease_grant();
    say(message);
    Heartbeat heartbeat;
    for (const Deadline deadline = late(); heartbeat.stage() != "train";) heartbeat = hear_heartbeat(deadline);
    EXPECT_EQ(heartbeat.sequence(), 17);
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    ASSERT_TRUE(control.wait(late()));
    control.where().enter("wait for a batch", 17);
    control.where().enter("train");
    EXPECT_TRUE(control.wait_for_stop(late()));
  }
}

TEST_F(WorkerControlTest, HeartbeatsComeAsOftenAsPromised) {
  // One after every change, though not more often than each 100 ms; else one each 500 ms: of a loop that moves on every
  // 10 ms for 1.5 s and stands still for 1.5 s, 15 and 3.
  if (coordinates()) {
    size_t moving = 0, still = 0;
    while (!hear_heartbeat(late()).has_stage()) continue;
    for (std::optional<Incoming> incoming; (incoming = link.wait(late()));) {
      if (incoming->message.has_hello()) break;
      if (!incoming->message.has_heartbeat()) continue;
      ++(incoming->message.heartbeat().sequence() < 0 ? still : moving);
    }
    EXPECT_GE(moving, 3u) << "more often than when it stands still";
    EXPECT_LE(moving, 20u);
    EXPECT_GE(still, 2u);
    EXPECT_LE(still, 6u);
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    for (const auto begin = Clock::now(); Clock::now() - begin < 1500ms; std::this_thread::sleep_for(10ms)) {
      control.where().enter("train", 1);
    }
    control.where().enter("wait", -1);
    std::this_thread::sleep_for(1500ms);
    ControlMessage message;
    message.mutable_hello();
    control.send(message);
    EXPECT_TRUE(control.wait_for_stop(late()));
  }
}

TEST_F(WorkerControlTest, AFailureIsReported) {
  if (coordinates()) {
    const ControlMessage message = hear();
    EXPECT_EQ(message.failure().exit_code(), 16);
    EXPECT_EQ(message.failure().stage(), "train");
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    Failure failure;
    failure.set_exit_code(16);
    failure.set_stage("train");
    control.report_failure(failure);  // comes back, since nobody ends this process
    EXPECT_TRUE(control.wait_for_stop(late()));
  }
}

TEST_F(WorkerControlTest, ManyThreadsMaySend) {
  constexpr int kThreads = 4, kEach = 200;
  if (coordinates()) {
    std::vector<int64_t> next(kThreads, 0);
    for (int count = 0; count < kThreads * kEach; ++count) {
      const int64_t sequence = hear().batch_trained().sequence();
      EXPECT_EQ(sequence % kEach, next[static_cast<size_t>(sequence / kEach)]++) << "in the order of its thread";
    }
    say(stop());
  } else if (works()) {
    WorkerControl control(link, roles);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&control, thread] {
        for (int number = 0; number < kEach; ++number) {
          ControlMessage message;
          message.mutable_batch_trained()->set_sequence(thread * kEach + number);
          control.send(message);
          control.where().enter("send", number);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(control.wait_for_stop(late()));
  }
}

}  // namespace
}  // namespace dflash
