// What TrainStep promises beside the golden numbers: sums over micro-steps, metrics, and a step without anchors.

#include "drafter_worker/train_step.h"

#include <gtest/gtest.h>

#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

class TrainStepTest : public ::testing::Test {
 protected:
  TrainStepTest()
      : drafter_(DrafterModel::over(golden_.config, golden_.parameters)), optimizer_(golden_.parameters.values(), {}) {}
  TrainStep make_step() { return {drafter_, golden_.parameters, optimizer_, golden_.ends, golden_.rules}; }

  test::GoldenDrafter golden_{"02_packed"};
  DrafterModel drafter_;
  Optimizer optimizer_;
};

TEST_F(TrainStepTest, MetricsEqualTheGoldenCounts) {
  TrainStep step = make_step();
  step.add_batch(golden_.batch, golden_.anchor_rows(golden_.io.at("anchors"), golden_.io.at("anchor_keep")), true);
  const StepResult result = step.finish(1e-3);
  const at::Tensor correct = at::tensor(result.correct_per_position, at::kLong),
                   total = at::tensor(result.total_per_position, at::kLong);
  const int64_t drafted = golden_.config.block_size - 1;
  EXPECT_TRUE(correct.equal(golden_.io.at("correct_per_slot").narrow(0, 1, drafted)));
  EXPECT_TRUE(total.equal(golden_.io.at("total_per_slot").narrow(0, 1, drafted)));
  EXPECT_EQ(result.accept_length_sum, golden_.io.at("accept_len_sum").item<int64_t>());
  EXPECT_EQ(result.accept_length_count, golden_.io.at("accept_len_count").item<int64_t>());
  EXPECT_EQ(result.supervised_positions, total.sum().item<int64_t>());
}

TEST_F(TrainStepTest, MicroStepsAreOneStepOverAllTheirBlocks) {
  const std::vector<int64_t> anchors = golden_.anchor_rows(golden_.io.at("anchors"), golden_.io.at("anchor_keep"));
  TrainStep whole = make_step();
  whole.add_batch(golden_.batch, anchors, false);
  const at::Tensor gradients = golden_.parameters.gradients().clone();
  const double weight_sum = golden_.io.at("weight_sum").item<double>();

  TrainStep parts = make_step();  // starts with zero gradients
  const size_t half = anchors.size() / 2;
  parts.add_batch(golden_.batch, std::span(anchors).first(half), false);
  parts.add_batch(golden_.batch, std::span(anchors).subspan(half), false);
  EXPECT_LE(test::error_relative_to_max(golden_.parameters.gradients(), gradients), 1e-5);
  const StepResult result = parts.finish(0.0);
  EXPECT_NEAR(result.weight_sum, weight_sum, 1e-5 * weight_sum);
  EXPECT_NEAR(result.loss_sum, golden_.io.at("loss_sum").item<double>(), 1e-4);
  EXPECT_EQ(golden_.parameters.gradients().abs().sum().item<double>(), 0.0) << "the next step starts from zero";
}

TEST_F(TrainStepTest, WithoutAnchorsNothingMoves) {
  const at::Tensor before = golden_.parameters.values().clone();
  TrainStep step = make_step();
  step.add_batch(golden_.batch, {}, true);
  const StepResult result = step.finish(1e-3);
  EXPECT_EQ(result.weight_sum, 0.0);
  EXPECT_EQ(result.grad_norm, 0.0);
  EXPECT_TRUE(golden_.parameters.values().equal(before));
  EXPECT_EQ(optimizer_.steps_done(), 0);
}

}  // namespace
}  // namespace dflash
