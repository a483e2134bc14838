#include "common/train/block_metrics.h"

#include <ATen/ATen.h>

namespace dflash {

BlockMetrics::BlockMetrics(int64_t block_size)
    : correct(at::zeros({block_size}, at::kLong)),
      total(at::zeros({block_size}, at::kLong)),
      accept_length_sum(at::zeros({}, at::kLong)),
      accept_length_count(at::zeros({}, at::kLong)) {}

void BlockMetrics::add(const BlockBatch& blocks, const at::Tensor& correct_rows) {
  const at::Tensor& supervised = blocks.supervised;
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
