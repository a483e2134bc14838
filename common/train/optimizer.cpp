#include "common/train/optimizer.h"

#include <ATen/ATen.h>

#include <utility>

namespace dflash {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.95, kEpsilon = 1e-8;
constexpr double kClipEpsilon = 1e-6;

}  // namespace

Optimizer::Optimizer(at::Tensor values, const OptimizerSettings& settings)
    : settings_(settings),
      values_(std::move(values)),
      first_moment_(at::zeros_like(values_)),
      second_moment_(at::zeros_like(values_)),
      step_(at::zeros({}, values_.options())) {}

at::Tensor Optimizer::step(at::Tensor gradients, double weight_sum, double lr) {
  const at::NoGradGuard no_autograd;
  gradients.div_(weight_sum);
  const at::Tensor norm = at::linalg_vector_norm(gradients);
  if (!norm.isfinite().item<bool>()) return norm;
  gradients.mul_((settings_.max_grad_norm / (norm + kClipEpsilon)).clamp_max(1.0));
  step_.add_(1);
  at::_fused_adamw_({values_}, {gradients}, {first_moment_}, {second_moment_}, /*max_exp_avg_sqs=*/{}, {step_}, lr,
                    kBeta1, kBeta2, settings_.weight_decay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
  return norm;
}

int64_t Optimizer::steps_done() const {
  return static_cast<int64_t>(step_.item<float>());
}

void Optimizer::set_steps_done(int64_t steps) {
  step_.fill_(steps);
}

}  // namespace dflash
