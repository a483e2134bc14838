#include <gtest/gtest.h>

#include "tests/bench/timed_pipeline.h"

namespace dflash::bench {
namespace {

TEST(SimulatedPipeline, OneTargetAndOneDrafterByHand) {
  TimedRun run{.targets = 1, .drafters = 1, .batches = 4, .target_ms = 10, .pack_ms = 2, .drafter_ms = 3};
  // Forwards end at 10, 20, 30, 40; the last batch is packed at 42 and trained at 45.
  EXPECT_DOUBLE_EQ(simulate_pipeline(run), 0.045);
  run.async = false;  // forward and pack by turns: 12 each
  EXPECT_DOUBLE_EQ(simulate_pipeline(run), 0.051);
  run.async = true;
  run.drafter_ms = 20;  // the drafter sets the pace: 12 + 4 x 20
  EXPECT_DOUBLE_EQ(simulate_pipeline(run), 0.092);
}

TEST(SimulatedPipeline, ReachesTheBoundOfTheSlowerSide) {
  const TimedRun run{.batches = 1998};
  const double bound = 1998 * 12.5e-3 / 5;
  EXPECT_GE(simulate_pipeline(run), bound);
  EXPECT_LE(simulate_pipeline(run), 1.01 * bound);
}

TEST(TimedPipeline, IsNotFasterThanItsSimulationAndNotMuchSlower) {
  const TimedRun run{.targets = 2, .drafters = 2, .batches = 40, .jitter = 0.3};
  const double real = run_timed_pipeline(run), best = simulate_pipeline(run);
  EXPECT_GE(real, 0.98 * best) << "two orders of asking may differ a little";
  EXPECT_LE(real, 10 * best);
}

}  // namespace
}  // namespace dflash::bench
