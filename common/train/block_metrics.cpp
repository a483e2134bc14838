#include "common/train/block_metrics.h"

#include <ATen/ATen.h>

#include "common/tensor/torch_device.h"

namespace dflash {

BlockMetrics::BlockMetrics(int64_t block_size, at::Device device)
    : correct(at::zeros({block_size}, at::TensorOptions(device).dtype(at::kLong))),
      total(at::zeros_like(correct)),
      accept_length_sum(at::zeros({}, correct.options())),
      accept_length_count(at::zeros({}, correct.options())) {}

void BlockMetrics::add(const BlockBatch& blocks, const at::Tensor& correct_rows) {
  const at::Tensor supervised = to_device(blocks.supervised, correct.device());
  at::Tensor hit = at::ones_like(supervised);  // an unsupervised position neither stops a run nor counts
  hit.masked_scatter_(supervised, correct_rows);
  correct += (hit & supervised).sum(0);
  total += supervised.sum(0);
  const at::Tensor run = (hit.to(at::kLong).cumprod(1) * supervised).sum(1) + 1;
  const at::Tensor counts = supervised.any(1);
  accept_length_sum += (run * counts).sum();
  accept_length_count += counts.sum();
}

}  // namespace dflash
