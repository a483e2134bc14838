// Twenty optimizer steps of golden/drafter/10_adamw: losses, weights, norms, rates and the last parameters.

#include <gtest/gtest.h>

#include "common/train/lr_schedule.h"
#include "drafter_worker/train_step.h"
#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

struct Curve {
  std::vector<double> loss_sums, weight_sums, losses, grad_norms, lrs;
};

class AdamWGolden : public ::testing::Test {
 protected:
  Curve train(double weight_decay) {
    const Json& settings = golden_.description;
    const auto total = settings["steps"].get<int64_t>();
    const double warmup_ratio = settings["warmup"].get<double>() / static_cast<double>(total);
    const LrSchedule schedule(settings["lr"].get<double>(), warmup_ratio, total);
    const DrafterModel drafter = DrafterModel::over(golden_.config, golden_.parameters);
    Optimizer optimizer(golden_.parameters.values(), {weight_decay, settings["clip"].get<double>()});
    TrainStep step(drafter, golden_.parameters, optimizer, golden_.ends, golden_.rules);
    Curve curve;
    for (int64_t s = 0; s < total; ++s) {
      step.add_batch(golden_.batch, golden_.anchor_rows(golden_.io.at("anchors_per_step")[s]), false);
      EXPECT_TRUE(step.last_batch_is_finite());
      const StepResult result = step.finish(schedule.at(s));
      curve.loss_sums.push_back(result.loss_sum);
      curve.weight_sums.push_back(result.weight_sum);
      curve.losses.push_back(result.loss_sum / result.weight_sum);
      curve.grad_norms.push_back(result.grad_norm);
      curve.lrs.push_back(schedule.at(s));
    }
    return curve;
  }
  double tolerance(const char* quantity) { return golden_.description["tolerance_rel_to_max"][quantity].get<double>(); }
  void expect_curve(const std::string& name, const char* quantity, const std::vector<double>& ours) {
    EXPECT_LE(test::error_relative_to_max(at::tensor(ours, at::kDouble), golden_.io.at(name)), tolerance(quantity))
        << name;
  }
  test::GoldenDrafter golden_{"10_adamw"};
};

TEST_F(AdamWGolden, TwentySteps) {
  const Curve curve = train(0.0);
  expect_curve("losses", "losses", curve.losses);
  expect_curve("loss_sums", "loss_sums", curve.loss_sums);
  expect_curve("weight_sums", "weight_sums", curve.weight_sums);
  expect_curve("grad_norms", "grad_norms", curve.grad_norms);
  expect_curve("lrs", "lrs", curve.lrs);
  for (const auto& [name, leaf] : golden_.parameters.leaves()) {
    EXPECT_LE(test::error_relative_to_max(leaf, golden_.io.at("final." + name)), tolerance("final")) << name;
  }
}

TEST_F(AdamWGolden, WithDecoupledWeightDecay) {
  const Curve curve = train(golden_.description["decayed_weight_decay"].get<double>());
  expect_curve("decayed.losses", "losses", curve.losses);
  expect_curve("decayed.grad_norms", "grad_norms", curve.grad_norms);
  std::vector<double> norms;
  for (const Json& name : golden_.description["decayed_final_norms_order"]) {
    norms.push_back(golden_.parameters.at(name.get<std::string>()).norm().item<double>());
  }
  EXPECT_LE(test::error_relative_to_max(at::tensor(norms, at::kDouble), golden_.io.at("decayed.final_norms")),
            tolerance("final"));
}

}  // namespace
}  // namespace dflash
