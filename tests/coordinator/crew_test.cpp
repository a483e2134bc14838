// Four ranks: coordinator 0, targets 1 and 2, drafter 3. Rank 0 has the crew; what the others say is written here. A
// worker that dies is a child of rank 0 that the cast takes for the drafter's process.
#include "coordinator/crew.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr int kTarget = 1, kDrafter = 3;

Deadline late() {
  return Deadline::after(30s);
}

/// A process that sleeps until it is killed.
class Sleeper {
 public:
  Sleeper() : pid_(fork()) {
    if (pid_ != 0) return;
    for (;;) pause();
  }
  ~Sleeper() {
    end();
    waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  void end() const { kill(pid_, SIGKILL); }
  [[nodiscard]] bool lives() const { return !ProcessWatch(pid_).ended(); }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

ControlMessage heartbeat(const char* stage, int64_t sequence) {
  ControlMessage message;
  message.mutable_heartbeat()->set_stage(stage);
  message.mutable_heartbeat()->set_sequence(sequence);
  return message;
}

ControlMessage failure(ErrorKind kind, const char* text) {
  ControlMessage message;
  message.mutable_failure()->set_exit_code(exit_code(kind));
  message.mutable_failure()->set_message(text);
  message.mutable_failure()->set_stage("train");
  message.mutable_failure()->set_sequence(7);
  return message;
}

ControlMessage trained(int64_t sequence) {
  ControlMessage message;
  message.mutable_batch_trained()->set_sequence(sequence);
  return message;
}

class CrewTest : public testing::Test {
 protected:
  const RoleMap gathered = gather_test_roles();
  ControlLink link{gathered};

  /// The cast as it is, but of all processes only one is known: that of the drafter.
  [[nodiscard]] RoleMap cast_with_drafter(pid_t pid) const {
    std::vector<RankFacts> facts;
    for (int rank = 0; rank < 4; ++rank) {
      facts.push_back(gathered.facts(rank));
      facts.back().pid = rank == kDrafter ? pid : 0;
    }
    return {facts, gathered.own_rank()};
  }
  [[nodiscard]] int rank() const { return gathered.own_rank(); }
  void say(const ControlMessage& message) {
    link.send(0, message);
    link.flush(late());
  }
  [[nodiscard]] ControlMessage hear() { return link.wait(late()).value().message; }

  /// Calls `wait_for_the_end` on rank 0, which must throw a RunFailure.
  static RunFailure failure_of(const std::function<void()>& wait_for_the_end) {
    try {
      wait_for_the_end();
    } catch (const RunFailure& failure) {
      return failure;
    }
    ADD_FAILURE() << "no RunFailure";
    return {ErrorKind::internal, "", "", "", -1};
  }
};

TEST_F(CrewTest, GivesOutWorkAndTakesHeartbeatsItself) {
  if (rank() == kTarget) {
    say(heartbeat("forward", 17));
    say(trained(1));
    say(heartbeat("forward", 18));
    say(trained(2));
  }
  if (rank() != 0) return (void)hear();
  Crew crew(link, gathered, 30);
  for (const int64_t sequence : {1, 2}) {
    const std::optional<Incoming> incoming = crew.wait(late());
    ASSERT_TRUE(incoming);
    EXPECT_EQ(incoming->rank, kTarget);
    EXPECT_EQ(incoming->message.batch_trained().sequence(), sequence);
  }
  EXPECT_FALSE(crew.wait(Deadline::after(20ms)));
  const RunFailure told = crew.failure(ErrorKind::stall, kTarget, "does what it must not");
  EXPECT_EQ(told.who(), gathered.describe(kTarget));
  EXPECT_EQ(told.stage(), "forward");
  EXPECT_EQ(told.batch(), 18);
  EXPECT_TRUE(says(told, {"target 0 (rank 1", "does what it must not; it was in 'forward' at batch 18"}));
  crew.send_to_all(trained(0));
  crew.flush(late());
}

TEST_F(CrewTest, APingNamesWhoIsSilentAndLosesNoMessage) {
  if (rank() != 0) {
    ASSERT_TRUE(hear().has_ping());
    ControlMessage pong;
    pong.mutable_pong();
    if (rank() == kTarget) say(trained(1));
    if (rank() != kDrafter) say(pong);
    if (rank() == kTarget) say(trained(2));
    return (void)hear();
  }
  Crew crew(link, gathered, 30);
  EXPECT_EQ(crew.ping(Deadline::after(500ms)), std::vector<int>{kDrafter});
  for (const int64_t sequence : {1, 2}) {
    EXPECT_EQ(crew.wait(late()).value().message.batch_trained().sequence(), sequence);
  }
  crew.send_to_all(trained(0));
  crew.flush(late());
}

TEST_F(CrewTest, APingEndsWhenAllHaveAnswered) {
  if (rank() != 0) {
    ASSERT_TRUE(hear().has_ping());
    ControlMessage pong;
    pong.mutable_pong();
    return say(pong);
  }
  const RoleMap cast = cast_with_drafter(0);
  Crew crew(link, cast, 30);
  const auto begin = Deadline::Clock::now();
  EXPECT_TRUE(crew.ping(late()).empty());
  EXPECT_LT(Deadline::Clock::now() - begin, 20s);
}

TEST_F(CrewTest, ADeathIsToldWithStageAndBatch) {
  if (rank() == kDrafter) {
    say(heartbeat("train", 9));
    say(trained(1));
  }
  if (rank() != 0) return;
  const Sleeper drafter;
  const RoleMap cast = cast_with_drafter(drafter.pid());
  Crew crew(link, cast, 30);
  EXPECT_TRUE(crew.wait(late()));
  EXPECT_FALSE(crew.wait(Deadline::after(100ms)));
  drafter.end();
  const RunFailure told = failure_of([&] { (void)crew.wait(late()); });
  EXPECT_EQ(told.kind(), ErrorKind::peer_died);
  EXPECT_EQ(told.who(), cast.describe(kDrafter));
  EXPECT_EQ(told.stage(), "train");
  EXPECT_EQ(told.batch(), 9);
  EXPECT_TRUE(says(told, {"drafter 0 (rank 3", " died", "it was in 'train' at batch 9"}));
}

TEST_F(CrewTest, ADeathIsSeenDuringAPingToo) {
  if (rank() != 0) return;
  const Sleeper drafter;
  const RoleMap cast = cast_with_drafter(drafter.pid());
  Crew crew(link, cast, 30);
  drafter.end();
  EXPECT_EQ(failure_of([&] { (void)crew.ping(late()); }).who(), cast.describe(kDrafter));
}

TEST_F(CrewTest, TheLastWordsOfTheDeadCountMoreThanItsDeath) {
  if (rank() == kDrafter) {
    (void)hear();
    say(failure(ErrorKind::not_finite, "the loss is NaN"));
  }
  if (rank() != 0) return;
  const Sleeper drafter;
  const RoleMap cast = cast_with_drafter(drafter.pid());
  Crew crew(link, cast, 30);
  drafter.end();
  while (drafter.lives()) std::this_thread::sleep_for(1ms);
  crew.send(kDrafter, trained(0));
  const RunFailure told = failure_of([&] { (void)crew.wait(late()); });
  EXPECT_EQ(told.kind(), ErrorKind::not_finite);
  EXPECT_STREQ(told.what(), (cast.describe(kDrafter) + " failed in 'train' at batch 7: the loss is NaN").c_str());
}

TEST_F(CrewTest, WhoLostItsPeerIsNotTheFirstCause) {
  if (rank() == kTarget) say(failure(ErrorKind::peer_died, "the drafter is gone"));
  if (rank() == kDrafter) {
    std::this_thread::sleep_for(300ms);
    say(failure(ErrorKind::not_finite, "the loss is NaN"));
  }
  if (rank() != 0) return;
  const RoleMap cast = cast_with_drafter(0);
  Crew crew(link, cast, 30);
  const RunFailure told = failure_of([&] { (void)crew.wait(late()); });
  EXPECT_EQ(told.kind(), ErrorKind::not_finite);
  EXPECT_EQ(told.who(), cast.describe(kDrafter));
}

TEST_F(CrewTest, WhoLostItsPeerNamesTheDeadOneWhenThereIsOne) {
  if (rank() == kTarget) say(failure(ErrorKind::peer_died, "the drafter is gone"));
  if (rank() != 0) return;
  const Sleeper drafter;
  const RoleMap cast = cast_with_drafter(drafter.pid());
  Crew crew(link, cast, 30);
  std::thread killer([&] {
    std::this_thread::sleep_for(300ms);
    drafter.end();
  });
  EXPECT_EQ(failure_of([&] { (void)crew.wait(late()); }).who(), cast.describe(kDrafter));
  killer.join();
}

TEST_F(CrewTest, WhoLostItsPeerIsBelievedWhenNobodyElseSpeaks) {
  if (rank() == kTarget) say(failure(ErrorKind::peer_died, "the drafter is gone"));
  if (rank() != 0) return;
  const RoleMap cast = cast_with_drafter(0);
  Crew crew(link, cast, 30);
  const RunFailure told = failure_of([&] { (void)crew.wait(late()); });
  EXPECT_EQ(told.kind(), ErrorKind::peer_died);
  EXPECT_EQ(told.who(), cast.describe(kTarget));
}

TEST_F(CrewTest, SilenceIsAStall) {
  if (rank() != 0) return;
  const RoleMap cast = cast_with_drafter(0);
  Crew crew(link, cast, 300);
  crew.set_stall_timeout(0.3);
  const RunFailure told = failure_of([&] { (void)crew.wait(late()); });
  EXPECT_EQ(told.kind(), ErrorKind::stall);
  EXPECT_TRUE(says(told, {"has said nothing (frozen?) for run.stall_timeout_s = 0.3 s; last heard: target 0"}));
}

TEST_F(CrewTest, TheEndIsSaidToAllAndWhoStaysIsKilled) {
  if (rank() != 0) {
    const ControlMessage last = hear();
    EXPECT_EQ(last.abort().exit_code(), 15);
    EXPECT_EQ(last.abort().message(), "the drafter is frozen");
    return;
  }
  const Sleeper drafter;
  const RoleMap cast = cast_with_drafter(drafter.pid());
  Crew crew(link, cast, 30);
  kill(drafter.pid(), SIGSTOP);
  crew.end(15, "the drafter is frozen");
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(drafter.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(info.si_status, SIGKILL);
}

TEST_F(CrewTest, TheEndDoesNotWaitForWhoIsGone) {
  if (rank() != 0) return (void)hear();
  const Sleeper drafter;
  drafter.end();
  const RoleMap cast = cast_with_drafter(drafter.pid());
  Crew crew(link, cast, 30);
  const auto begin = Deadline::Clock::now();
  crew.end(1, "m");
  EXPECT_LT(Deadline::Clock::now() - begin, 1800ms);
  link.flush(late());
}

}  // namespace
}  // namespace dflash
