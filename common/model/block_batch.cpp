#include "common/model/block_batch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace dflash {
namespace {

constexpr int64_t kNoLabel = -100;
// Bounds the score matrix of one attention call: blocks x context rows (times B and the heads).
constexpr int64_t kLargestGroupCells = 1 << 16;

/// Raw views of a batch's token fields.
struct TokenFields {
  const int32_t* input_ids;
  const int32_t* document_ids;
  const int32_t* position_ids;
  const uint8_t* loss_mask;
  int64_t rows;
};

TokenFields token_fields(const HiddenStateBatch& batch) {
  return {batch.input_ids.const_data_ptr<int32_t>(), batch.document_ids.const_data_ptr<int32_t>(),
          batch.position_ids.const_data_ptr<int32_t>(), batch.loss_mask.const_data_ptr<uint8_t>(),
          batch.input_ids.size(0)};
}

std::vector<float> position_weights(const BlockRules& rules) {
  std::vector<float> weights(static_cast<size_t>(rules.block_size), 0.0F);
  for (int64_t k = 1; k < rules.block_size; ++k) {
    const double decay = rules.decay_gamma > 0 ? std::exp(-static_cast<double>(k - 1) / rules.decay_gamma) : 1.0;
    weights[static_cast<size_t>(k)] = static_cast<float>(decay);
  }
  return weights;
}

void fill_block(BlockBatch& blocks, int64_t n, int64_t anchor, const TokenFields& tokens, const BlockRules& rules,
                const std::vector<float>& weights) {
  const int64_t size = rules.block_size;
  int64_t* ids = blocks.block_ids.data_ptr<int64_t>() + n * size;
  int64_t* positions = blocks.position_ids.data_ptr<int64_t>() + n * size;
  int64_t* labels = blocks.labels.data_ptr<int64_t>() + n * size;
  bool* supervised = blocks.supervised.data_ptr<bool>() + n * size;
  float* block_weights = blocks.weights.data_ptr<float>() + n * size;
  for (int64_t k = 0; k < size; ++k) {
    const int64_t row = anchor + k;
    const bool inside = row < tokens.rows && tokens.document_ids[row] == tokens.document_ids[anchor];
    ids[k] = k == 0 ? tokens.input_ids[anchor] : rules.mask_token_id;
    positions[k] = tokens.position_ids[anchor] + k;
    labels[k] = inside ? tokens.input_ids[row] : kNoLabel;
    supervised[k] = k > 0 && inside && tokens.loss_mask[row] != 0;
    block_weights[k] = supervised[k] ? weights[static_cast<size_t>(k)] : 0.0F;
  }
}

AnchorGroup make_group(std::span<const int64_t> anchors, int64_t first, int64_t count, int64_t document_start) {
  AnchorGroup group{document_start, anchors[static_cast<size_t>(first + count - 1)], first, count, {}};
  const int64_t context = group.context_end - group.context_start;
  group.hidden = at::empty({count, context}, at::kBool);
  bool* hidden = group.hidden.data_ptr<bool>();
  for (int64_t n = 0; n < count; ++n) {
    const int64_t visible = anchors[static_cast<size_t>(first + n)] - document_start;
    std::fill_n(hidden + n * context, visible, false);
    std::fill_n(hidden + n * context + visible, context - visible, true);
  }
  return group;
}

std::vector<AnchorGroup> make_groups(std::span<const int64_t> anchors, const TokenFields& tokens) {
  std::vector<AnchorGroup> groups;
  const auto total = static_cast<int64_t>(anchors.size());
  for (int64_t first = 0; first < total;) {
    const int64_t start =
        anchors[static_cast<size_t>(first)] - tokens.position_ids[anchors[static_cast<size_t>(first)]];
    int64_t end = first + 1;
    while (end < total) {
      const int64_t anchor = anchors[static_cast<size_t>(end)];
      const bool same_document = anchor - tokens.position_ids[anchor] == start;
      if (!same_document || (end + 1 - first) * (anchor - start) > kLargestGroupCells) break;
      ++end;
    }
    groups.push_back(make_group(anchors, first, end - first, start));
    first = end;
  }
  return groups;
}

}  // namespace

BlockBatch make_block_batch(const HiddenStateBatch& batch, std::span<const int64_t> anchors, const BlockRules& rules) {
  const TokenFields tokens = token_fields(batch);
  const auto count = static_cast<int64_t>(anchors.size());
  const std::vector<int64_t> shape{count, rules.block_size};
  BlockBatch blocks;
  blocks.block_count = count;
  blocks.anchors = at::empty({count}, at::kLong);
  std::copy(anchors.begin(), anchors.end(), blocks.anchors.data_ptr<int64_t>());
  blocks.block_ids = at::empty(shape, at::kLong);
  blocks.position_ids = at::empty(shape, at::kLong);
  blocks.labels = at::empty(shape, at::kLong);
  blocks.supervised = at::empty(shape, at::kBool);
  blocks.weights = at::empty(shape, at::kFloat);
  const std::vector<float> weights = position_weights(rules);
  for (int64_t n = 0; n < count; ++n) fill_block(blocks, n, anchors[static_cast<size_t>(n)], tokens, rules, weights);
  blocks.groups = make_groups(anchors, tokens);
  return blocks;
}

}  // namespace dflash
