// The costly metrics of a step: accuracy by position and run lengths, as sums and counts that stay on the device.
#pragma once

#include <ATen/core/Tensor.h>

#include "common/model/block_batch.h"

namespace dflash {

/// Summed over the batches of a step (dflash-semantics 3.12).
struct BlockMetrics {
  at::Tensor correct;            // [B] int64: argmax equals label, by position
  at::Tensor total;              // [B] int64: supervised, by position
  at::Tensor accept_length_sum;  // [] int64: leading correct supervised positions + 1, over blocks that have any
  at::Tensor accept_length_count;

  explicit BlockMetrics(int64_t block_size, at::Device device = at::kCPU);
  /// `correct_rows`: one flag for each supervised position, in the order of the blocks.
  void add(const BlockBatch& blocks, const at::Tensor& correct_rows);
};

}  // namespace dflash
