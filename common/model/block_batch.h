// BlockBatch: the blocks of one pack: where they stand, what goes in, what must come out, and what each position
// weighs.
//
// Rules (dflash-semantics 3.2-3.6, 3.9): a block starts at an anchor a; it holds [x(a), MASK, MASK, ...] at positions
// pos(a) + k. Position k is labelled x(a + k) and supervised iff k >= 1, a + k lies in the pack, in the anchor's
// document, and its loss mask is 1. Its weight is exp(-(k-1)/gamma), 0 where unsupervised.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>

#include "common/hf/drafter_config.h"
#include "common/model/block_mask.h"
#include "common/tensor/hidden_state_batch.h"

namespace dflash {

struct BlockRules {
  int64_t block_size = 0;
  int64_t mask_token_id = 0;
  double decay_gamma = 0;                                    // 0: no decay
  std::optional<BlockPattern> full_layers = BlockPattern{};  // what layers of each kind see, where there are any
  std::optional<BlockPattern> sliding_layers = std::nullopt;
};
/// Those of a drafter.
[[nodiscard]] BlockRules block_rules(const DrafterConfig& config, double decay_gamma);

/// Its tensors lie on the host, its masks where the blocks are computed.
struct BlockBatch {
  int64_t block_count = 0;
  at::Tensor anchors;       // [A] int64, ascending rows of the pack
  at::Tensor block_ids;     // [A, B] int64
  at::Tensor position_ids;  // [A, B] int64
  at::Tensor labels;        // [A, B] int64, -100 outside the anchor's document
  at::Tensor supervised;    // [A, B] bool
  at::Tensor weights;       // [A, B] float
  BlockMask full;           // made where there are such layers
  BlockMask sliding;
};

/// `anchors`: ascending rows of the pack, none on padding. Documents are runs of equal document ids. The batch's ids
/// are read on the host, its states not at all.
[[nodiscard]] BlockBatch make_block_batch(const HiddenStateBatch& batch, std::span<const int64_t> anchors,
                                          const BlockRules& rules, at::Device device = at::kCPU);

}  // namespace dflash
