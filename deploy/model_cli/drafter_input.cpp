#include "deploy/model_cli/drafter_input.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "common/base/format.h"
#include "deploy/model_cli/input_tensors.h"

namespace dflash {
namespace {

HiddenStateBatch read_row(const InputTensors& input, const DrafterConfig& config) {
  HiddenStateBatch row;
  row.input_ids = input.integers("input_ids", {-1}, 0, config.vocab_size - 1).to(at::kInt);
  const int64_t length = row.input_ids.size(0);
  row.document_ids = input.integers("document_ids", {length}, -1, kLargestId).to(at::kInt);
  input.check_runs("document_ids", row.document_ids);
  row.position_ids = input.integers("position_ids", {length}, 0, kLargestId).to(at::kInt);
  row.loss_mask = input.integers("loss_mask", {length}, 0, 1).to(at::kByte);
  const auto captured = static_cast<int64_t>(config.target_layer_ids.size());
  row.captured = input.numbers("hidden_states", {length, captured * config.hidden_size});
  return row;
}

/// A token that stands alone for each of `positions`: no context before it, so that its block sees only itself.
HiddenStateBatch extend(const HiddenStateBatch& row, const at::Tensor& positions, int64_t mask_token_id) {
  const int64_t count = positions.size(0);
  const at::Tensor alone = at::arange(count, at::kInt) + (row.document_ids.max() + 1).to(at::kInt);
  HiddenStateBatch extended;
  extended.input_ids = at::cat({row.input_ids, at::full({count}, mask_token_id, at::kInt)});
  extended.document_ids = at::cat({row.document_ids, alone});
  extended.position_ids = at::cat({row.position_ids, positions});
  extended.loss_mask = at::cat({row.loss_mask, at::zeros({count}, at::kByte)});
  extended.captured = at::cat({row.captured, at::zeros({count, row.captured.size(1)}, at::kFloat)});
  return extended;
}

void check_anchors(const InputTensors& input, const HiddenStateBatch& row, const at::Tensor& anchors,
                   const at::Tensor& unused) {
  const at::Tensor on_padding = row.document_ids.index_select(0, anchors).lt(0).logical_and(unused.logical_not());
  if (!on_padding.any().item<bool>()) return;
  const int64_t slot = on_padding.nonzero()[0][0].item<int64_t>();
  input.refuse("anchors", format("stands on padding in slot {}, at row {}: set its anchor_keep to 0", slot,
                                 anchors[slot].item<int64_t>()));
}

/// Sorts the slots by their rows; blocks are computed in ascending order.
void place_slots(const at::Tensor& rows, DrafterInput& drafter) {
  const int64_t* row = rows.const_data_ptr<int64_t>();
  std::vector<int64_t> slots(static_cast<size_t>(rows.numel()));
  std::iota(slots.begin(), slots.end(), 0);
  std::ranges::stable_sort(slots, {}, [&](int64_t slot) { return row[slot]; });
  drafter.block_of_slot = at::empty({rows.numel()}, at::kLong);
  for (size_t block = 0; block < slots.size(); ++block) {
    drafter.anchors.push_back(row[slots[block]]);
    drafter.block_of_slot[slots[block]] = static_cast<int64_t>(block);
  }
}

}  // namespace

DrafterInput read_drafter_input(const std::string& path, const DrafterConfig& config) {
  const InputTensors input(path);
  DrafterInput drafter;
  drafter.row = read_row(input, config);
  const int64_t length = drafter.row.input_ids.size(0);
  at::Tensor rows = input.integers("anchors", {-1}, 0, length - 1);
  drafter.unused = at::zeros({rows.numel()}, at::kBool);
  if (input.has("anchor_keep")) drafter.unused = input.integers("anchor_keep", {rows.numel()}, 0, 1).eq(0);
  check_anchors(input, drafter.row, rows, drafter.unused);
  const at::Tensor positions = drafter.row.position_ids.index_select(0, rows.masked_select(drafter.unused));
  drafter.extended = extend(drafter.row, positions, config.mask_token_id);
  rows.masked_scatter_(drafter.unused, at::arange(length, length + positions.size(0), at::kLong));
  place_slots(rows, drafter);
  return drafter;
}

FrozenEnds read_frozen_ends(const std::string& path, const DrafterConfig& config) {
  const InputTensors frozen(path);
  const std::vector<int64_t> shape{config.vocab_size, config.hidden_size};
  FrozenEnds ends;
  ends.embedding = frozen.numbers("model.embed_tokens.weight", shape);
  ends.head = frozen.has("lm_head.weight") ? frozen.numbers("lm_head.weight", shape) : ends.embedding;
  return ends;
}

}  // namespace dflash
