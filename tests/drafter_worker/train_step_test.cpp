// What TrainStep promises beside the golden numbers: sums over micro-steps, metrics, and a step without anchors.

#include "drafter_worker/train_step.h"

#include <gtest/gtest.h>

#include <limits>

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
  EXPECT_TRUE(step.last_batch_is_finite());
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
  EXPECT_TRUE(whole.last_batch_is_finite());
  const at::Tensor gradients = golden_.parameters.gradients().clone();
  const double weight_sum = golden_.io.at("weight_sum").item<double>();

  TrainStep parts = make_step();  // starts with zero gradients
  const size_t half = anchors.size() / 2;
  parts.add_batch(golden_.batch, std::span(anchors).first(half), false);
  EXPECT_TRUE(parts.last_batch_is_finite());
  parts.add_batch(golden_.batch, std::span(anchors).subspan(half), false);
  EXPECT_TRUE(parts.last_batch_is_finite());
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
  EXPECT_TRUE(step.last_batch_is_finite());
  const StepResult result = step.finish(1e-3);
  EXPECT_EQ(result.weight_sum, 0.0);
  EXPECT_EQ(result.grad_norm, 0.0);
  EXPECT_TRUE(golden_.parameters.values().equal(before));
  EXPECT_EQ(optimizer_.steps_done(), 0);
}

/// One good step, so that there are moments to spoil.
TEST_F(TrainStepTest, AStepThatIsNotFiniteChangesNothing) {
  const std::vector<int64_t> anchors = golden_.anchor_rows(golden_.io.at("anchors"), golden_.io.at("anchor_keep"));
  TrainStep step = make_step();
  step.add_batch(golden_.batch, anchors, false);
  ASSERT_TRUE(step.last_batch_is_finite());
  EXPECT_FALSE(step.finish(1e-3).skipped);
  const std::vector<at::Tensor> state{golden_.parameters.values(), optimizer_.first_moment(),
                                      optimizer_.second_moment()};
  std::vector<at::Tensor> before;
  for (const at::Tensor& part : state) before.push_back(part.clone());

  const auto expect_skipped = [&](const StepResult& result, const char* why, bool gradients_are_bad = false) {
    EXPECT_TRUE(result.skipped) << why;
    EXPECT_EQ(result.gradients_are_bad, gradients_are_bad) << why;
    for (size_t i = 0; i < state.size(); ++i) EXPECT_TRUE(state[i].equal(before[i])) << why;
    EXPECT_EQ(optimizer_.steps_done(), 1) << why;
  };
  HiddenStateBatch bad = golden_.batch;
  bad.captured = bad.captured.clone();
  bad.captured[3][5] = std::numeric_limits<float>::quiet_NaN();
  step.add_batch(bad, anchors, false);
  expect_skipped(step.finish(1e-3), "a loss that is not finite, though nobody asked");
  step.add_batch(bad, anchors, false);
  EXPECT_FALSE(step.last_batch_is_finite());
  step.add_batch(golden_.batch, anchors, false);
  EXPECT_TRUE(step.last_batch_is_finite()) << "it is the last one that is asked for";
  step.add_batch(bad, {}, false);
  EXPECT_TRUE(step.last_batch_is_finite()) << "it added nothing";
  expect_skipped(step.finish(1e-3), "one of several");
  step.add_batch(golden_.batch, anchors, false);
  ASSERT_TRUE(step.last_batch_is_finite());
  step.spoil();
  expect_skipped(step.finish(1e-3), "a batch that was left out");
  step.add_batch(golden_.batch, anchors, false);
  ASSERT_TRUE(step.last_batch_is_finite());
  const auto sum_with_infinity = [](const at::Tensor& gradients, double weight_sum) {
    gradients.view(-1)[7].fill_(std::numeric_limits<float>::infinity());
    return weight_sum;
  };
  expect_skipped(step.finish(1e-3, sum_with_infinity), "another drafter's gradients", true);
  const auto sum_with_nan = [](const at::Tensor&, double) { return std::numeric_limits<double>::quiet_NaN(); };
  expect_skipped(step.finish(1e-3, sum_with_nan), "another drafter that has nothing to add");

  step.add_batch(golden_.batch, anchors, false);
  ASSERT_TRUE(step.last_batch_is_finite());
  EXPECT_FALSE(step.finish(1e-3).skipped) << "and the next step is a step again";
  EXPECT_FALSE(golden_.parameters.values().equal(before[0]));
}

}  // namespace
}  // namespace dflash
