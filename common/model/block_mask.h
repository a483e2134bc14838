// BlockMask: what every position of every block sees in one kind of layer. Made once for a batch, in closed form.
//
// Context (dflash-semantics 3.5): the rows of the anchor's document strictly before the anchor; with a window W only
// those rows t with (a + k) - t < W for position k. Own block: all of it, or in a causal layer the positions up to its
// own. Other blocks: nothing.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dflash {

/// The rule of one kind of layer.
struct BlockPattern {
  int64_t window = 0;  // 0: none; else at least the block size
  bool causal = false;
};

/// Neighbouring anchors of one document: what one attention call covers. With a window W its context is at most 2 W
/// rows.
struct AnchorGroup {
  int64_t context_start = 0;  // the first row that any of its blocks sees
  int64_t context_end = 0;    // the last anchor of the group: the furthest row any of its blocks may not see
  int64_t first_block = 0;
  int64_t block_count = 0;
  at::Tensor hidden;  // [blocks, 1 or B, context] bool, true = not visible; 1: the same for all positions of a block
};

struct BlockMask {
  int64_t block_size = 0;
  std::vector<AnchorGroup> groups;
  at::Tensor hidden_in_block;  // [B, B] bool, true = not visible; undefined where each sees all
};

/// An anchor's row and the first row of its document.
struct PlacedAnchor {
  int64_t row = 0;
  int64_t document_start = 0;
};

/// `anchors` ascend. The masks lie on `device`: filled row by row on the host, computed from two numbers a row
/// elsewhere.
[[nodiscard]] BlockMask make_block_mask(std::span<const PlacedAnchor> anchors, int64_t block_size,
                                        const BlockPattern& pattern, at::Device device = at::kCPU);

}  // namespace dflash
