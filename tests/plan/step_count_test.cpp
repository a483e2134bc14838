#include <gtest/gtest.h>

#include "common/plan/run_plan.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

RunConfig settings(int64_t steps, int32_t accumulation) {
  RunConfig config;
  config.mutable_train()->set_steps(steps);
  config.mutable_train()->set_accumulation_steps(accumulation);
  return config;
}

TEST(StepCount, GivenSteps) {
  const StepCount count = count_steps(settings(10, 3), 2, 0);
  EXPECT_EQ(count.steps, 10);
  EXPECT_EQ(count.batches, 60);
  EXPECT_EQ(count.left_out, 0);
}

TEST(StepCount, EpochsLeaveOutWhatFillsNoStep) {
  const StepCount count = count_steps(settings(0, 4), 1, 103);
  EXPECT_EQ(count.steps, 25);
  EXPECT_EQ(count.batches, 100);
  EXPECT_EQ(count.left_out, 3);
  EXPECT_EQ(count_steps(settings(0, 4), 1, 4).left_out, 0);
}

TEST(StepCount, NotEvenOneStep) {
  expect_error(ErrorKind::config, "gives 7 batches, but one optimizer step takes 8",
               [] { (void)count_steps(settings(0, 4), 2, 7); });
  expect_error(ErrorKind::config, "gives 0 batches", [] { (void)count_steps(settings(0, 1), 1, 0); });
}

TEST(StepCount, TooManyToCount) {
  expect_error(ErrorKind::config, "cannot be counted", [] { (void)count_steps(settings(INT64_MAX / 2, 3), 1, 0); });
}

}  // namespace
}  // namespace dflash
