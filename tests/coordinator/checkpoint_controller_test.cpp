#include "coordinator/checkpoint_controller.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/errors.h"

namespace dflash {
namespace {

/// Every step that is asked for; the drafter's parts come at once, that of the last step is final.
std::vector<int64_t> steps_of(int64_t total_steps, int64_t every_steps, std::optional<int64_t> resumed_from = {}) {
  CheckpointController controller(total_steps, every_steps, resumed_from);
  std::vector<int64_t> steps;
  while (const std::optional<int64_t> step = controller.next_request()) {
    EXPECT_EQ(controller.final_step(), std::nullopt);
    steps.push_back(*step);
    controller.part_received(*step, *step == total_steps);
  }
  EXPECT_EQ(controller.final_step(), total_steps);
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

TEST(CheckpointController, AResumedRunGoesOnWithTheNextMultiple) {
  EXPECT_EQ(steps_of(50, 20, 20), (std::vector<int64_t>{40, 50}));
  EXPECT_EQ(steps_of(50, 20, 33), (std::vector<int64_t>{40, 50})) << "from the save of a signal";
  EXPECT_EQ(steps_of(50, 20, 49), (std::vector<int64_t>{50}));
  EXPECT_EQ(steps_of(50, 0, 7), (std::vector<int64_t>{50}));
  EXPECT_EQ(steps_of(50, 20, 50), (std::vector<int64_t>{})) << "there is nothing left to do";
}

TEST(CheckpointController, OneRequestIsOpenAtATime) {
  CheckpointController controller(50, 20, std::nullopt);
  EXPECT_EQ(controller.next_request(), 0);
  EXPECT_EQ(controller.next_request(), std::nullopt);
  controller.part_received(0, false);
  EXPECT_EQ(controller.next_request(), 20);
  EXPECT_EQ(controller.next_request(), std::nullopt);
}

TEST(CheckpointController, ASignalEndsTheRunAtAnyStep) {
  CheckpointController controller(50, 20, std::nullopt);
  EXPECT_EQ(controller.next_request(), 0);
  controller.part_received(0, false);
  EXPECT_EQ(controller.next_request(), 20);
  controller.part_received(13, true);  // nobody asked for it
  EXPECT_EQ(controller.final_step(), 13);
  EXPECT_EQ(controller.next_request(), std::nullopt);
}

TEST(CheckpointController, ASignalMayMeetTheStepThatIsAskedFor) {
  CheckpointController controller(50, 20, 20);
  EXPECT_EQ(controller.next_request(), 40);
  controller.part_received(40, true);
  EXPECT_EQ(controller.final_step(), 40);
  EXPECT_EQ(controller.next_request(), std::nullopt);
}

TEST(CheckpointController, NothingComesAfterTheFinalPart) {
  for (const bool final : {false, true}) {
    CheckpointController controller(50, 20, std::nullopt);
    (void)controller.next_request();
    controller.part_received(0, true);
    expect_error(ErrorKind::internal, "step 20 arrived, expected none", [&] { controller.part_received(20, final); });
    EXPECT_EQ(controller.final_step(), 0);
  }
}

TEST(CheckpointController, RefusesAPartThatWasNotAskedFor) {
  CheckpointController controller(50, 20, std::nullopt);
  const auto receive = [&](int64_t step) { controller.part_received(step, false); };
  expect_error(ErrorKind::internal, "step 0 arrived, expected none", [&] { receive(0); });
  (void)controller.next_request();
  expect_error(ErrorKind::internal, "step 20 arrived, expected that of step 0", [&] { receive(20); });
  receive(0);
  expect_error(ErrorKind::internal, "step 0 arrived, expected none", [&] { receive(0); });
}

}  // namespace
}  // namespace dflash
