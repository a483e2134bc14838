#include "common/plan/queue_plan.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr int64_t kMemory = 1'000'000;

PipelineSection settings(int32_t depth, int64_t bytes) {
  PipelineSection pipeline;
  pipeline.set_hs_queue_depth(depth);
  pipeline.set_queue_bytes(bytes);
  return pipeline;
}

TEST(QueuePlan, TheLeastOfDepthAndBytes) {
  const QueuePlan by_depth = plan_queue(settings(6, 0), 1000, 1, 1, kMemory);  // a tenth of the memory holds 100
  EXPECT_EQ(by_depth.depth, 6);
  EXPECT_EQ(by_depth.depth_reason, "pipeline.hs_queue_depth");
  const QueuePlan by_memory = plan_queue(settings(60, 0), 5000, 1, 1, kMemory);
  EXPECT_EQ(by_memory.depth, 20);
  EXPECT_EQ(by_memory.depth_reason, "a tenth of the memory for each drafter (100000 bytes)");
  const QueuePlan by_bytes = plan_queue(settings(60, 34'999), 5000, 1, 1, kMemory);
  EXPECT_EQ(by_bytes.depth, 6);
  EXPECT_EQ(by_bytes.depth_reason, "pipeline.queue_bytes (34999 bytes)");
}

TEST(QueuePlan, AtLeastOneBatch) {
  const QueuePlan plan = plan_queue(settings(60, 10), 5000, 1, 1, kMemory);
  EXPECT_EQ(plan.depth, 1);
  EXPECT_EQ(plan.depth_reason, "the least possible: pipeline.queue_bytes (10 bytes) is less than one batch");
}

TEST(QueuePlan, SlotsAreSharedOutAmongLinks) {
  EXPECT_EQ(plan_queue(settings(60, 0), 1, 1, 1, kMemory).slots_per_link, 60);
  EXPECT_EQ(plan_queue(settings(60, 0), 1, 7, 1, kMemory).slots_per_link, 9);  // 8.57 upwards
  EXPECT_EQ(plan_queue(settings(60, 0), 1, 60, 1, kMemory).slots_per_link, 2);
  EXPECT_EQ(plan_queue(settings(1, 0), 1, 1, 1, kMemory).slots_per_link, 2);
}

TEST(QueuePlan, EveryDrafterBringsATenthOfTheMemory) {
  EXPECT_EQ(plan_queue_bytes(settings(60, 0), 3, kMemory), 300'000);
  EXPECT_EQ(plan_queue_bytes(settings(60, 0), 8, kMemory), 500'000) << "half of it at most";
  EXPECT_EQ(plan_queue_bytes(settings(60, 777), 8, kMemory), 777);
}

TEST(QueuePlan, ADrafterBeginsWithWhatCanAlwaysBecomeReady) {
  PipelineSection ten = settings(60, 0);
  const auto min_ready = [&](int64_t depth, int64_t slots, int drafters) {
    return plan_min_ready(ten, {.depth = depth, .depth_reason = "", .slots_per_link = slots}, drafters);
  };
  EXPECT_EQ(min_ready(60, 60, 1), 10) << "pipeline.min_ready";
  EXPECT_EQ(min_ready(7, 60, 1), 7) << "the depth";
  EXPECT_EQ(min_ready(16, 60, 3), 5) << "its share of the depth";
  EXPECT_EQ(min_ready(60, 4, 1), 4) << "the slots of a link, if one target sends all";
  EXPECT_EQ(min_ready(2, 2, 3), 1);
  ten.set_min_ready(3);
  EXPECT_EQ(min_ready(60, 60, 1), 3);
}

TEST(QueuePlan, RingsMustFitTheMachine) {
  // 2 slots each is the least, so the rings of many links can be larger than the queue: 4 x 2 x 125000 is all there
  // is.
  EXPECT_EQ(plan_queue(settings(60, 0), 125'000, 4, 1, kMemory).slots_per_link, 2);
  expect_error(ErrorKind::config, "5 links x 2 slots of 125000 bytes do not fit into the machine's 1000000 bytes",
               [] { (void)plan_queue(settings(60, 0), 125'000, 5, 1, kMemory); });
  expect_error(ErrorKind::config, "do not fit",
               [] { (void)plan_queue(settings(60, int64_t{1} << 62), int64_t{1} << 60, 1, 1, kMemory); });
}

}  // namespace
}  // namespace dflash
