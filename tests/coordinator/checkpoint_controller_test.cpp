#include "coordinator/checkpoint_controller.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/errors.h"

namespace dflash {
namespace {

std::vector<int64_t> steps_of(int64_t total_steps, int64_t every_steps) {
  CheckpointController controller(total_steps, every_steps);
  std::vector<int64_t> steps;
  while (const std::optional<int64_t> step = controller.next_request()) {
    EXPECT_FALSE(controller.complete());
    steps.push_back(*step);
    controller.part_received(*step);
  }
  EXPECT_TRUE(controller.complete());
  return steps;
}

TEST(CheckpointController, FirstEveryAndLast) {
  EXPECT_EQ(steps_of(50, 20), (std::vector<int64_t>{0, 20, 40, 50}));
  EXPECT_EQ(steps_of(40, 20), (std::vector<int64_t>{0, 20, 40}));
  EXPECT_EQ(steps_of(3, 1), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(steps_of(10, 500), (std::vector<int64_t>{0, 10}));
  EXPECT_EQ(steps_of(10, 0), (std::vector<int64_t>{0, 10}));
  EXPECT_EQ(steps_of(1, 1), (std::vector<int64_t>{0, 1}));
}

TEST(CheckpointController, OneRequestIsOpenAtATime) {
  CheckpointController controller(50, 20);
  EXPECT_EQ(controller.next_request(), 0);
  EXPECT_EQ(controller.next_request(), std::nullopt);
  controller.part_received(0);
  EXPECT_EQ(controller.next_request(), 20);
  EXPECT_EQ(controller.next_request(), std::nullopt);
}

TEST(CheckpointController, RefusesAPartThatWasNotAskedFor) {
  CheckpointController controller(50, 20);
  expect_error(ErrorKind::internal, "step 0 arrived, expected none", [&] { controller.part_received(0); });
  (void)controller.next_request();
  expect_error(ErrorKind::internal, "step 20 arrived, expected that of step 0", [&] { controller.part_received(20); });
  controller.part_received(0);
  expect_error(ErrorKind::internal, "step 0 arrived, expected none", [&] { controller.part_received(0); });
}

}  // namespace
}  // namespace dflash
