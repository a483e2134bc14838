#include "common/model/rms_norm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "common/model/host_kernels.h"
#include "common/model/row_kernels.h"

namespace dflash {
namespace {

// Rows are summed in pieces of this many, whatever the number of threads: the bits of a weight's gradient stay the
// same.
constexpr int64_t kPieceRows = 512;

/// Calls work(first, end, piece) for all pieces of `rows`, in parallel.
template <typename Work>
void for_each_piece(int64_t rows, const Work& work) {
  const int64_t pieces = (rows + kPieceRows - 1) / kPieceRows;
  at::parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      work(piece * kPieceRows, std::min(rows, (piece + 1) * kPieceRows), piece);
  });
}

struct FusedRmsNorm : torch::autograd::Function<FusedRmsNorm> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            double eps) {
    const int64_t width = x.size(-1), rows = x.numel() / width;
    at::Tensor y = at::empty_like(x), scale = at::empty({rows}, x.options());
    const float *in = x.const_data_ptr<float>(), *w = weight.const_data_ptr<float>();
    float *out = y.data_ptr<float>(), *r = scale.data_ptr<float>();
    for_each_piece(rows, [&](int64_t first, int64_t end, int64_t) {
      rms_norm_rows(in + first * width, w, out + first * width, r + first, end - first, width, static_cast<float>(eps));
    });
    context->save_for_backward({x, weight, scale});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &scale = saved[2];
    const at::Tensor dy = upstream[0].contiguous();
    const int64_t width = x.size(-1), rows = x.numel() / width;
    at::Tensor dx = at::empty_like(x);
    at::Tensor weight_pieces = at::zeros({(rows + kPieceRows - 1) / kPieceRows, width}, x.options());
    const float *in = x.const_data_ptr<float>(), *w = weight.const_data_ptr<float>(),
                *r = scale.const_data_ptr<float>();
    const float* g = dy.const_data_ptr<float>();
    float *out = dx.data_ptr<float>(), *dw = weight_pieces.data_ptr<float>();
    for_each_piece(rows, [&](int64_t first, int64_t end, int64_t piece) {
      rms_norm_backward_rows(in + first * width, w, r + first, g + first * width, out + first * width,
                             dw + piece * width, end - first, width);
    });
    return {dx, weight_pieces.sum(0), at::Tensor()};
  }
};

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  if (use_host_kernels(x) && weight.scalar_type() == at::kFloat) {
    return FusedRmsNorm::apply(x.contiguous(), weight, eps);
  }
  const at::Tensor wide = x.to(at::kFloat);
  const at::Tensor scale = wide.square().mean(-1, /*keepdim=*/true).add(eps).rsqrt();
  return (wide * scale).to(x.scalar_type()) * weight;
}

}  // namespace dflash
