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
  const QueuePlan by_depth = plan_queue(settings(6, 0), 1000, 1, kMemory);  // a tenth of the memory holds 100
  EXPECT_EQ(by_depth.depth, 6);
  EXPECT_EQ(by_depth.depth_reason, "pipeline.hs_queue_depth");
  const QueuePlan by_memory = plan_queue(settings(60, 0), 5000, 1, kMemory);
  EXPECT_EQ(by_memory.depth, 20);
  EXPECT_EQ(by_memory.depth_reason, "a tenth of the memory (100000 bytes)");
  const QueuePlan by_bytes = plan_queue(settings(60, 34'999), 5000, 1, kMemory);
  EXPECT_EQ(by_bytes.depth, 6);
  EXPECT_EQ(by_bytes.depth_reason, "pipeline.queue_bytes (34999 bytes)");
}

TEST(QueuePlan, AtLeastOneBatch) {
  const QueuePlan plan = plan_queue(settings(60, 10), 5000, 1, kMemory);
  EXPECT_EQ(plan.depth, 1);
  EXPECT_EQ(plan.depth_reason, "the least possible: pipeline.queue_bytes (10 bytes) is less than one batch");
}

TEST(QueuePlan, SlotsAreSharedOutAmongLinks) {
  EXPECT_EQ(plan_queue(settings(60, 0), 1, 1, kMemory).slots_per_link, 60);
  EXPECT_EQ(plan_queue(settings(60, 0), 1, 7, kMemory).slots_per_link, 9);  // 8.57 upwards
  EXPECT_EQ(plan_queue(settings(60, 0), 1, 60, kMemory).slots_per_link, 2);
  EXPECT_EQ(plan_queue(settings(1, 0), 1, 1, kMemory).slots_per_link, 2);
}

TEST(QueuePlan, RingsMustFitTheMachine) {
  // 2 slots each is the least, so the rings of many links can be larger than the queue: 4 x 2 x 125000 is all there
  // is.
  EXPECT_EQ(plan_queue(settings(60, 0), 125'000, 4, kMemory).slots_per_link, 2);
  expect_error(ErrorKind::config, "5 links x 2 slots of 125000 bytes do not fit into the machine's 1000000 bytes",
               [] { (void)plan_queue(settings(60, 0), 125'000, 5, kMemory); });
  expect_error(ErrorKind::config, "do not fit",
               [] { (void)plan_queue(settings(60, int64_t{1} << 62), int64_t{1} << 60, 1, kMemory); });
}

}  // namespace
}  // namespace dflash
