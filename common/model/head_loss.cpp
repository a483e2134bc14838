#include "common/model/head_loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace dflash {
namespace {

constexpr int64_t kChunkLogits = int64_t{1} << 22;        // 16 MiB of fp32 logits: what the caches of a CPU hold
constexpr int64_t kDeviceChunkLogits = int64_t{1} << 27;  // 512 MiB: enough rows to keep a GPU busy

/// Everything of one pass that is not a gradient.
struct RowResults {
  at::Tensor losses;
  at::Tensor correct;
  at::Tensor hidden_gradient;  // d(sum) / d(hidden)
};

void run_chunk(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels, const at::Tensor& weights,
               RowResults& results, int64_t first) {
  const int64_t rows = hidden.size(0);
  at::Tensor logits = at::linear(hidden, head).to(at::kFloat);
  if (results.correct.defined()) results.correct.narrow(0, first, rows).copy_(logits.argmax(-1).eq(labels));
  const at::Tensor column = labels.unsqueeze(-1);
  at::Tensor log_probabilities = at::log_softmax(logits, -1);
  results.losses.narrow(0, first, rows).copy_(log_probabilities.gather(-1, column).squeeze(-1).neg());
  // d loss / d z = softmax(z) - onehot(label), times the row's weight; the head is frozen, so only hidden gets a
  // gradient.
  at::Tensor logits_gradient = log_probabilities.exp_();
  logits_gradient.scatter_add_(-1, column, at::full_like(column, -1, logits.options()));
  logits_gradient.mul_(weights.unsqueeze(-1));
  results.hidden_gradient.narrow(0, first, rows).copy_(at::mm(logits_gradient.to(head.scalar_type()), head));
}

RowResults run_all(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                   const at::Tensor& weights, bool want_correct) {
  const int64_t rows = hidden.size(0);
  const int64_t chunk = std::max<int64_t>(1, (hidden.is_cpu() ? kChunkLogits : kDeviceChunkLogits) / head.size(0));
  const at::TensorOptions there = hidden.options();
  RowResults results{at::empty({rows}, there.dtype(at::kFloat)),
                     want_correct ? at::empty({rows}, there.dtype(at::kBool)) : at::Tensor(), at::empty_like(hidden)};
  for (int64_t first = 0; first < rows; first += chunk) {
    const int64_t count = std::min(chunk, rows - first);
    run_chunk(hidden.narrow(0, first, count), head, labels.narrow(0, first, count), weights.narrow(0, first, count),
              results, first);
  }
  return results;
}

/// Carries the gradient that the forward pass already knows.
struct KnownGradient : torch::autograd::Function<KnownGradient> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& hidden,
                            const at::Tensor& value, const at::Tensor& gradient) {
    (void)hidden;
    context->save_for_backward({gradient});
    return value.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    return {context->get_saved_variables()[0] * upstream[0], at::Tensor(), at::Tensor()};
  }
};

}  // namespace

HeadLoss head_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                   const at::Tensor& weights, bool want_correct) {
  RowResults results;
  at::Tensor sum;
  {
    const at::NoGradGuard no_autograd;
    results = run_all(hidden.detach(), head, labels, weights, want_correct);
    sum = (results.losses * weights).sum(at::kDouble).to(at::kFloat);
  }
  return {KnownGradient::apply(hidden, sum, results.hidden_gradient), results.losses, results.correct};
}

}  // namespace dflash
