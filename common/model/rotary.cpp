#include "common/model/rotary.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "common/model/host_kernels.h"
#include "common/model/rope_frequencies.h"
#include "common/model/row_kernels.h"
#include "common/tensor/torch_device.h"

namespace dflash {
namespace {

constexpr int64_t kRowsForAThread = 256;

at::Tensor turn(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, float direction) {
  const int64_t rows = x.size(0), heads = x.size(1), width = x.size(2);
  at::Tensor y = at::empty_like(x);
  const float *in = x.const_data_ptr<float>(), *c = cos.const_data_ptr<float>(), *s = sin.const_data_ptr<float>();
  float* out = y.data_ptr<float>();
  at::parallel_for(0, rows, kRowsForAThread, [&](int64_t first, int64_t end) {
    const int64_t at = first * heads * width;
    rotate_rows(in + at, c + first * width, s + first * width, out + at, end - first, heads, width / 2, direction);
  });
  return y;
}

/// One pass over memory each way; the gradient is the rotation back.
struct FusedRotation : torch::autograd::Function<FusedRotation> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& cos,
                            const at::Tensor& sin) {
    context->save_for_backward({cos, sin});
    return turn(x, cos, sin, 1.0F);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    return {turn(upstream[0].contiguous(), saved[0], saved[1], -1.0F), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

Rotary::Rotary(int64_t head_dim, const RopeConfig& rope, at::Device device)
    : attention_factor_(rope_attention_factor(rope)) {
  const std::vector<float> frequencies = inverse_frequencies(head_dim, rope);
  inverse_frequency_ = at::tensor(frequencies, at::kFloat).to(device);
}

RotaryTable Rotary::table(const at::Tensor& position_ids, at::ScalarType type) const {
  const at::Tensor half =
      to_device(position_ids, inverse_frequency_.device()).to(at::kFloat).unsqueeze(-1) * inverse_frequency_;
  const at::Tensor angles = at::cat({half, half}, -1).unsqueeze(1);
  at::Tensor cos = angles.cos(), sin = angles.sin();
  if (attention_factor_ != 1) {
    cos.mul_(attention_factor_);
    sin.mul_(attention_factor_);
  }
  return {cos.to(type), sin.to(type)};
}

at::Tensor rotate(const at::Tensor& x, const RotaryTable& table) {
  if (use_host_kernels(x)) return FusedRotation::apply(x.contiguous(), table.cos, table.sin);
  const int64_t half = x.size(-1) / 2;
  const at::Tensor turned = at::cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  return x * table.cos + turned * table.sin;
}

}  // namespace dflash
