// AdamW over one flat fp32 tensor, with clipping by the total norm (dflash-semantics 3.14).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dflash {

struct OptimizerSettings {
  double weight_decay = 0;
  double max_grad_norm = 1;
};

/// Betas 0.9 and 0.95, eps 1e-8, decoupled decay on every parameter. The update itself is LibTorch's fused kernel.
class Optimizer {
 public:
  Optimizer(at::Tensor values, const OptimizerSettings& settings);

  /// One update of the values. `gradients` [P] are d(sum of weighted losses); they are divided by `weight_sum`, clipped
  /// (coefficient min(1, max/(norm + 1e-6))) and overwritten. Returns the norm before clipping, as a device scalar [].
  /// When it is not finite nothing is updated.
  at::Tensor step(at::Tensor gradients, double weight_sum, double lr);

  /// Updates made; a resumed run goes on with those of its checkpoint, beside its moments.
  [[nodiscard]] int64_t steps_done() const;
  void set_steps_done(int64_t steps);
  [[nodiscard]] const at::Tensor& first_moment() const { return first_moment_; }
  [[nodiscard]] const at::Tensor& second_moment() const { return second_moment_; }

 private:
  OptimizerSettings settings_;
  at::Tensor values_;
  at::Tensor first_moment_;
  at::Tensor second_moment_;
  at::Tensor step_;  // [] fp32, counts updates, as the fused kernel wants it
};

}  // namespace dflash
