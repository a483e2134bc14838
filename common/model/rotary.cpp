#include "common/model/rotary.h"

#include <ATen/ATen.h>

namespace dflash {

Rotary::Rotary(int64_t head_dim, double theta) {
  const at::Tensor exponent = at::arange(0, head_dim, 2, at::kFloat) / static_cast<double>(head_dim);
  inverse_frequency_ = at::pow(theta, exponent).reciprocal();
}

RotaryTable Rotary::table(const at::Tensor& position_ids, at::ScalarType type) const {
  const at::Tensor half = position_ids.to(at::kFloat).unsqueeze(-1) * inverse_frequency_;
  const at::Tensor angles = at::cat({half, half}, -1).unsqueeze(1);
  return {angles.cos().to(type), angles.sin().to(type)};
}

at::Tensor rotate(const at::Tensor& x, const RotaryTable& table) {
  const int64_t half = x.size(-1) / 2;
  const at::Tensor turned = at::cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  return x * table.cos + turned * table.sin;
}

}  // namespace dflash
