#include "common/model/block_mask.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dflash {
namespace {

// Bounds the score matrix of one attention call: blocks x context rows (times B and the heads).
constexpr int64_t kLargestGroupCells = 1 << 16;

int64_t first_visible(const PlacedAnchor& anchor, int64_t position, int64_t window) {
  const int64_t row = anchor.row + position;
  return window > 0 ? std::clamp(row - window + 1, anchor.document_start, anchor.row) : anchor.document_start;
}

/// One row of the mask: true but for [from, until), counted from the group's first context row.
void fill_mask_row(bool* hidden, int64_t context, int64_t from, int64_t until) {
  std::fill_n(hidden, context, true);
  std::fill_n(hidden + from, until - from, false);
}

AnchorGroup make_group(std::span<const PlacedAnchor> anchors, int64_t first, int64_t block_size,
                       const BlockPattern& pattern) {
  const int64_t start = first_visible(anchors.front(), 0, pattern.window);
  const auto count = static_cast<int64_t>(anchors.size());
  AnchorGroup group{start, anchors.back().row, first, count, {}};
  const int64_t context = group.context_end - start, kinds = pattern.window > 0 ? block_size : 1;
  group.hidden = at::empty({count, kinds, context}, at::kBool);
  bool* hidden = group.hidden.data_ptr<bool>();
  for (const PlacedAnchor& anchor : anchors) {
    for (int64_t k = 0; k < kinds; ++k, hidden += context) {
      fill_mask_row(hidden, context, first_visible(anchor, k, pattern.window) - start, anchor.row - start);
    }
  }
  return group;
}

/// Whether the anchors may share one attention call: of one document, not too large, and with a window not so far apart
/// that most of what is computed is hidden again.
bool fits(std::span<const PlacedAnchor> anchors, int64_t window) {
  const PlacedAnchor &first = anchors.front(), &last = anchors.back();
  if (last.document_start != first.document_start) return false;
  if (window > 0 && last.row - first.row > window) return false;
  const int64_t context = last.row - first_visible(first, 0, window);
  return static_cast<int64_t>(anchors.size()) * context <= kLargestGroupCells;
}

}  // namespace

BlockMask make_block_mask(std::span<const PlacedAnchor> anchors, int64_t block_size, const BlockPattern& pattern) {
  BlockMask mask;
  mask.block_size = block_size;
  if (pattern.causal) mask.hidden_in_block = at::ones({block_size, block_size}, at::kBool).triu_(1);
  for (size_t first = 0; first < anchors.size();) {
    size_t end = first + 1;
    while (end < anchors.size() && fits(anchors.subspan(first, end + 1 - first), pattern.window)) ++end;
    mask.groups.push_back(
        make_group(anchors.subspan(first, end - first), static_cast<int64_t>(first), block_size, pattern));
    first = end;
  }
  return mask;
}

}  // namespace dflash
