#include "common/data/noise_schedule.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

NoiseSettings settings(NoiseSettings::Shape shape) {
  return {.shape = shape, .from = 0.4, .to = 0.1, .steps = 10, .batches_per_step = 6, .seed = 5};
}

TEST(NoiseSchedule, IsOffByDefault) {
  EXPECT_EQ(NoiseSchedule().strength_at(3), 0);
  EXPECT_EQ(NoiseSchedule().of_batch(77).strength, 0);
}

TEST(NoiseSchedule, GoesFromOneStrengthToTheOther) {
  const NoiseSchedule constant(settings(NoiseSettings::Shape::constant));
  const NoiseSchedule linear(settings(NoiseSettings::Shape::linear));
  const NoiseSchedule cosine(settings(NoiseSettings::Shape::cosine));
  for (const int64_t step : {0, 5, 10, 1000}) EXPECT_EQ(constant.strength_at(step), 0.4);
  EXPECT_DOUBLE_EQ(linear.strength_at(0), 0.4);
  EXPECT_DOUBLE_EQ(linear.strength_at(3), 0.31);
  EXPECT_DOUBLE_EQ(linear.strength_at(10), 0.1);
  EXPECT_DOUBLE_EQ(linear.strength_at(11), 0.1) << "and stays there";
  EXPECT_DOUBLE_EQ(cosine.strength_at(0), 0.4);
  EXPECT_NEAR(cosine.strength_at(5), 0.25, 1e-15) << "half way at half time";
  EXPECT_NEAR(cosine.strength_at(2), 0.1 + 0.3 * (1 + 0.80901699437494745) / 2, 1e-12);  // cos(36 degrees)
  EXPECT_NEAR(cosine.strength_at(25), 0.1, 1e-15);
}

TEST(NoiseSchedule, FollowsThePlannedStepOfABatch) {
  const NoiseSchedule linear(settings(NoiseSettings::Shape::linear));
  for (const int64_t sequence : {0, 5, 6, 11, 12, 59, 60, 600}) {
    const StateNoise noise = linear.of_batch(sequence);
    EXPECT_EQ(noise.strength, linear.strength_at(sequence / 6));
    EXPECT_EQ(noise.sequence, sequence);
    EXPECT_EQ(noise.seed, 5U);
  }
}

}  // namespace
}  // namespace dflash
