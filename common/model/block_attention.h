// Attention of training blocks: each block sees rows of its document before its anchor, and itself, by a BlockMask.
#pragma once

#include <ATen/core/Tensor.h>

#include "common/model/block_mask.h"

namespace dflash {

/// Keys and values of one source, [rows, n_kv, d] each.
struct KeyValue {
  at::Tensor keys;
  at::Tensor values;
};

/// q [A*B, n_h, d] and `block` (A*B rows) from the blocks, `context` (T rows) from the pack. The two parts, prefix and
/// own block, meet in one softmax; no mask over all keys is ever built (dflash-semantics 3.5). Returns [A*B, n_h*d].
/// `mask` must outlive the backward pass.
[[nodiscard]] at::Tensor block_attention(const at::Tensor& q, const KeyValue& context, const KeyValue& block,
                                         const BlockMask& mask);

}  // namespace dflash
