#include "coordinator/peer_watch.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

class PeerWatchTest : public testing::Test {
 protected:
  /// All but `silent` say where they are, unchanged, every second before `until`.
  void everybody_lives(std::chrono::seconds until, int silent = -1) {
    for (auto time = 0s; time < until; time += 1s) {
      for (const int rank : roles_.workers()) {
        if (rank != silent) watch_.seen(rank, "start", -1, start_ + time);
      }
    }
  }

  const PeerWatch::TimePoint start_{};
  RoleMap roles_{{Role::coordinator, Role::target, Role::target, Role::drafter}, 0};
  PeerWatch watch_{roles_, 10, start_};
};

TEST_F(PeerWatchTest, WhoSaysNothingAtAllIsFrozenWhateverItsRole) {
  for (const int silent : {1, 2, 3}) {
    PeerWatch watch(roles_, 10, start_);
    for (const int rank : roles_.workers()) {
      if (rank != silent) watch.heard(rank, "work", start_ + 9s);
    }
    EXPECT_NO_THROW(watch.check(start_ + 9s + 900ms));
    const Error error = error_of([&] { watch.check(start_ + 10s); });
    EXPECT_EQ(error.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(
        error, {roles_.describe(silent) + " has said nothing (frozen?) for run.stall_timeout_s = 10 s; last heard: "}));
  }
}

TEST_F(PeerWatchTest, TheMessageSaysWhereEveryRankIs) {
  watch_.heard(3, "step_report", start_ + 5s);
  watch_.seen(3, "wait for a batch", 17, start_ + 6s);
  watch_.heard(1, "lease_request", start_ + 7s);
  const Error error = error_of([&] { watch_.check(start_ + 12s); });
  EXPECT_TRUE(says(error, {"target 1 (rank 2) has said nothing",
                           "target 0 (rank 1): lease_request 5.0 s ago, in 'start' at no batch, heard 5.0 s before",
                           "target 1 (rank 2): start 12.0 s ago",
                           "drafter 0 (rank 3): step_report 6.0 s ago, in 'wait for a batch' at batch 17, heard 6.0 s",
                           "see the logs of these ranks"}));
}

TEST_F(PeerWatchTest, ADrafterThatLivesButStandsStillIsAStall) {
  everybody_lives(10s);
  EXPECT_NO_THROW(watch_.check(start_ + 9s + 900ms));
  expect_error(ErrorKind::stall, "drafter 0 (rank 3) has not moved on for run.stall_timeout_s = 10 s",
               [&] { watch_.check(start_ + 10s); });
}

TEST_F(PeerWatchTest, AnotherStageOrBatchIsAStepForward) {
  watch_.seen(3, "train", 4, start_ + 6s);
  everybody_lives(16s, 3);
  watch_.seen(3, "train", 4, start_ + 15s);
  EXPECT_NO_THROW(watch_.check(start_ + 15s));
  watch_.seen(3, "train", 5, start_ + 15s + 900ms);
  for (const int target : {1, 2}) watch_.seen(target, "start", -1, start_ + 25s);
  EXPECT_NO_THROW(watch_.check(start_ + 25s));
  expect_error(ErrorKind::stall, "drafter 0 (rank 3)", [&] {
    for (auto time = 16s; time < 26s; time += 1s) watch_.seen(3, "train", 5, start_ + time);
    watch_.check(start_ + 26s);
  });
}

TEST_F(PeerWatchTest, ATargetThatLivesMayStandStill) {
  everybody_lives(500s);
  watch_.heard(3, "step_report", start_ + 500s);
  EXPECT_NO_THROW(watch_.check(start_ + 501s));
}

TEST_F(PeerWatchTest, AFailureTellsWhoWhereAndAtWhichBatch) {
  watch_.seen(2, "forward", 17, start_ + 3s);
  EXPECT_EQ(watch_.whereabouts(2, start_ + 3s + 100ms), "in 'forward' at batch 17, heard 0.1 s before");
  const RunFailure failure = watch_.failure(ErrorKind::peer_died, 2, "it died");
  EXPECT_EQ(failure.kind(), ErrorKind::peer_died);
  EXPECT_STREQ(failure.what(), "it died");
  EXPECT_EQ(failure.who(), "target 1 (rank 2)");
  EXPECT_EQ(failure.stage(), "forward");
  EXPECT_EQ(failure.batch(), 17);
}

}  // namespace
}  // namespace dflash
