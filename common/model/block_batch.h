// BlockBatch: the blocks of one pack: where they stand, what goes in, what must come out, and what each position
// weighs.
//
// Rules (dflash-semantics 3.2-3.6, 3.9): a block starts at an anchor a; it holds [x(a), MASK, MASK, ...] at positions
// pos(a) + k. Position k is labelled x(a + k) and supervised iff k >= 1, a + k lies in the pack, in the anchor's
// document, and its loss mask is 1. Its weight is exp(-(k-1)/gamma), 0 where unsupervised.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "common/tensor/hidden_state_batch.h"

namespace dflash {

struct BlockRules {
  int64_t block_size = 0;
  int64_t mask_token_id = 0;
  double decay_gamma = 0;  // 0: no decay
};

/// Neighbouring anchors of one document: what one attention call covers.
struct AnchorGroup {
  int64_t context_start = 0;  // first row of the document
  int64_t context_end = 0;    // the last anchor of the group: the furthest row any of its blocks may not see
  int64_t first_block = 0;
  int64_t block_count = 0;
  at::Tensor hidden;  // [blocks, context] bool, true = not visible: rows at or behind the block's anchor
};

struct BlockBatch {
  int64_t block_count = 0;
  at::Tensor anchors;       // [A] int64, ascending rows of the pack
  at::Tensor block_ids;     // [A, B] int64
  at::Tensor position_ids;  // [A, B] int64
  at::Tensor labels;        // [A, B] int64, -100 outside the anchor's document
  at::Tensor supervised;    // [A, B] bool
  at::Tensor weights;       // [A, B] float
  std::vector<AnchorGroup> groups;
};

/// `anchors`: ascending rows of the pack, none on padding.
[[nodiscard]] BlockBatch make_block_batch(const HiddenStateBatch& batch, std::span<const int64_t> anchors,
                                          const BlockRules& rules);

}  // namespace dflash
