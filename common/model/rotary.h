// Rotary position embedding: two halves ("neox" layout), angles in fp32 (dflash-semantics 1.1, 1.3).
#pragma once

#include <ATen/core/Tensor.h>

#include "common/hf/rope_config.h"

namespace dflash {

/// cos and sin of each position's angles, [T, 1, d]: ready to multiply [T, heads, d].
struct RotaryTable {
  at::Tensor cos;
  at::Tensor sin;
};

class Rotary {
 public:
  /// Its tables lie on `device`.
  Rotary(int64_t head_dim, const RopeConfig& rope, at::Device device = at::kCPU);
  /// `position_ids` [T], any integer type, on the host or there. Angles are fp32; cos and sin, times the attention
  /// factor, are cast to `type`.
  [[nodiscard]] RotaryTable table(const at::Tensor& position_ids, at::ScalarType type) const;

 private:
  at::Tensor inverse_frequency_;  // [d/2] fp32
  double attention_factor_;
};

/// x * cos + rotate_half(x) * sin for x [T, heads, d]; rotate_half maps the halves (a, b) to (-b, a).
[[nodiscard]] at::Tensor rotate(const at::Tensor& x, const RotaryTable& table);

}  // namespace dflash
