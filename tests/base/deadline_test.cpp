#include "common/base/deadline.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

using std::chrono::hours;

TEST(Deadline, CountsDownToItsPoint) {
  const Deadline deadline = Deadline::after(hours(1));
  EXPECT_FALSE(deadline.expired());
  EXPECT_GT(deadline.remaining(), hours(1) - std::chrono::minutes(10));
  EXPECT_LE(deadline.remaining(), hours(1));
  EXPECT_GT(deadline.when(), Deadline::Clock::now());
}

TEST(Deadline, NegativeTimeHasPassedAndNothingRemains) {
  const Deadline deadline = Deadline::after(-hours(1));
  EXPECT_TRUE(deadline.expired());
  EXPECT_EQ(deadline.remaining(), std::chrono::nanoseconds(0));
}

}  // namespace
}  // namespace dflash
