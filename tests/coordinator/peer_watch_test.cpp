#include "coordinator/peer_watch.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

class PeerWatchTest : public testing::Test {
 protected:
  const PeerWatch::TimePoint start_{};
  RoleMap roles_{{Role::coordinator, Role::target, Role::target, Role::drafter}, 0};
  PeerWatch watch_{roles_, 10, start_};
};

TEST_F(PeerWatchTest, ASilentDrafterIsAStallThatNamesEveryRank) {
  watch_.heard(3, "step_report", start_ + 5s);
  watch_.heard(1, "lease_request", start_ + 7s);
  EXPECT_NO_THROW(watch_.check(start_ + 14s + 900ms));
  for (const char* part : {"drafter 0 (rank 3) has said nothing for run.stall_timeout_s = 10 s",
                           "drafter 0 (rank 3): step_report 10.0 s ago", "target 0 (rank 1): lease_request 8.0 s ago",
                           "target 1 (rank 2): start 15.0 s ago"}) {
    expect_error(ErrorKind::stall, part, [&] { watch_.check(start_ + 15s); });
  }
}

TEST_F(PeerWatchTest, ASilentTargetIsNone) {
  watch_.heard(3, "step_report", start_ + 500s);
  EXPECT_NO_THROW(watch_.check(start_ + 501s));
}

TEST_F(PeerWatchTest, TargetsDoNotSpeakForTheDrafter) {
  watch_.heard(1, "lease_request", start_ + 11s);
  expect_error(ErrorKind::stall, "drafter 0 (rank 3): start 11.0 s ago", [&] { watch_.check(start_ + 11s); });
}

}  // namespace
}  // namespace dflash
