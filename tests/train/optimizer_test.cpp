// The fused update against the textbook formula of AdamW, written out in double precision.

#include "common/train/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dflash {
namespace {

/// One parameter's AdamW (0.9, 0.95, 1e-8) with decoupled decay.
struct SlowAdamW {
  double value = 0, m = 0, v = 0;
  int step = 0;
  void update(double gradient, double lr, double decay) {
    ++step;
    value -= lr * decay * value;
    m = 0.9 * m + 0.1 * gradient;
    v = 0.95 * v + 0.05 * gradient * gradient;
    value -= lr * (m / (1 - std::pow(0.9, step))) / (std::sqrt(v / (1 - std::pow(0.95, step))) + 1e-8);
  }
};

void expect_follows_formula(double decay, double max_norm) {
  const std::vector<double> start{0.3, -1.2, 2.0};
  at::Tensor values = at::tensor(start, at::kFloat);
  Optimizer optimizer(values, {decay, max_norm});
  std::vector<SlowAdamW> slow;
  for (const double value : start) slow.push_back({value});
  for (int step = 0; step < 10; ++step) {
    const double weight_sum = 4.0 + step, lr = 1e-2 / (1 + step);
    const std::vector<double> raw{8.0 * std::sin(step), -3.0, 0.5 * step};
    double norm = 0;
    for (const double gradient : raw) norm += gradient * gradient / (weight_sum * weight_sum);
    norm = std::sqrt(norm);
    EXPECT_NEAR(optimizer.step(at::tensor(raw, at::kFloat), weight_sum, lr).item<double>(), norm, 1e-6 * norm);
    const double scale = std::min(1.0, max_norm / (norm + 1e-6));
    for (size_t i = 0; i < slow.size(); ++i) slow[i].update(raw[i] / weight_sum * scale, lr, decay);
  }
  for (size_t i = 0; i < slow.size(); ++i)
    EXPECT_NEAR(values[static_cast<int64_t>(i)].item<double>(), slow[i].value, 2e-6);
  EXPECT_EQ(optimizer.steps_done(), 10);
}

TEST(Optimizer, FollowsTheFormula) {
  expect_follows_formula(0.0, 100.0);
}
TEST(Optimizer, ClipsByTheTotalNorm) {
  expect_follows_formula(0.0, 0.5);
}
TEST(Optimizer, DecaysDecoupledFromTheGradient) {
  expect_follows_formula(0.1, 1.0);
}

}  // namespace
}  // namespace dflash
