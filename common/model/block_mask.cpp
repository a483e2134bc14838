#include "common/model/block_mask.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "common/model/host_kernels.h"
#include "common/tensor/torch_device.h"

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

int64_t mask_rows_of_block(int64_t block_size, const BlockPattern& pattern) {
  return pattern.window > 0 ? block_size : 1;
}

AnchorGroup make_group(std::span<const PlacedAnchor> anchors, int64_t first, const BlockPattern& pattern) {
  const int64_t start = first_visible(anchors.front(), 0, pattern.window);
  return {start, anchors.back().row, first, static_cast<int64_t>(anchors.size()), {}};
}

void fill_on_host(AnchorGroup& group, std::span<const PlacedAnchor> anchors, int64_t block_size,
                  const BlockPattern& pattern) {
  const int64_t start = group.context_start, context = group.context_end - start;
  const int64_t kinds = mask_rows_of_block(block_size, pattern);
  group.hidden = at::empty({group.block_count, kinds, context}, at::kBool);
  bool* hidden = group.hidden.data_ptr<bool>();
  for (const PlacedAnchor& anchor :
       anchors.subspan(static_cast<size_t>(group.first_block), static_cast<size_t>(group.block_count))) {
    for (int64_t k = 0; k < kinds; ++k, hidden += context) {
      fill_mask_row(hidden, context, first_visible(anchor, k, pattern.window) - start, anchor.row - start);
    }
  }
}

/// One small tensor goes to the device: of every anchor its row, then the first row that each of its positions sees.
void fill_on_device(BlockMask& mask, std::span<const PlacedAnchor> anchors, const BlockPattern& pattern,
                    at::Device device) {
  const int64_t kinds = mask_rows_of_block(mask.block_size, pattern);
  at::Tensor bounds = at::empty({static_cast<int64_t>(anchors.size()), kinds + 1, 1}, at::kLong);
  int64_t* bound = bounds.data_ptr<int64_t>();
  for (const PlacedAnchor& anchor : anchors) {
    *bound++ = anchor.row;
    for (int64_t k = 0; k < kinds; ++k) *bound++ = first_visible(anchor, k, pattern.window);
  }
  bounds = to_device(bounds, device);
  for (AnchorGroup& group : mask.groups) {
    const at::Tensor of_group = bounds.narrow(0, group.first_block, group.block_count);
    const at::Tensor rows = at::arange(group.context_start, group.context_end, bounds.options());
    group.hidden = rows.lt(of_group.narrow(1, 1, kinds)).bitwise_or_(rows.ge(of_group.narrow(1, 0, 1)));
  }
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

BlockMask make_block_mask(std::span<const PlacedAnchor> anchors, int64_t block_size, const BlockPattern& pattern,
                          at::Device device) {
  BlockMask mask;
  mask.block_size = block_size;
  if (pattern.causal) mask.hidden_in_block = to_device(at::ones({block_size, block_size}, at::kBool).triu_(1), device);
  for (size_t first = 0; first < anchors.size();) {
    size_t end = first + 1;
    while (end < anchors.size() && fits(anchors.subspan(first, end + 1 - first), pattern.window)) ++end;
    mask.groups.push_back(make_group(anchors.subspan(first, end - first), static_cast<int64_t>(first), pattern));
    first = end;
  }
  if (on_host(device)) {
    for (AnchorGroup& group : mask.groups) fill_on_host(group, anchors, block_size, pattern);
  } else {
    fill_on_device(mask, anchors, pattern, device);
  }
  return mask;
}

}  // namespace dflash
