// Table 9.5 of dflash-semantics: 100 steps, 4 of warm-up.

#include "common/train/lr_schedule.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(LrSchedule, TableOfTheSemantics) {
  const LrSchedule schedule(1.0, 0.04, 100);
  EXPECT_EQ(schedule.warmup_steps(), 4);
  const double expected[][2] = {{0, .25}, {1, .5},       {3, 1},        {4, 1},       {5, .999732},
                                {52, .5}, {80, .103323}, {90, .026535}, {99, .000268}};
  for (const auto& [step, factor] : expected)
    EXPECT_NEAR(schedule.at(static_cast<int64_t>(step)), factor, 5e-7) << step;
}

TEST(LrSchedule, ScalesWithTheRateAndWorksWithoutWarmup) {
  const LrSchedule schedule(2e-3, 0.0, 10);
  EXPECT_EQ(schedule.warmup_steps(), 0);
  EXPECT_DOUBLE_EQ(schedule.at(0), 2e-3);
  EXPECT_NEAR(schedule.at(5), 1e-3, 1e-12);
}

TEST(LrSchedule, WarmupRoundsDownAsExactArithmeticWould) {
  EXPECT_EQ(LrSchedule(1, 0.15, 20).warmup_steps(), 3);
  EXPECT_EQ(LrSchedule(1, 0.04, 99).warmup_steps(), 3);
  EXPECT_EQ(LrSchedule(1, 1.0, 7).warmup_steps(), 7);
}

}  // namespace
}  // namespace dflash
