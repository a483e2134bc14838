#include "common/model/block_batch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dflash {
namespace {

constexpr int64_t kNoLabel = -100;

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

/// Each anchor with the start of its document.
std::vector<PlacedAnchor> place_anchors(std::span<const int64_t> anchors, const TokenFields& tokens) {
  std::vector<PlacedAnchor> placed;
  placed.reserve(anchors.size());
  int64_t row = 0, start = 0;
  for (const int64_t anchor : anchors) {
    for (; row <= anchor; ++row) {
      if (row > 0 && tokens.document_ids[row] != tokens.document_ids[row - 1]) start = row;
    }
    placed.push_back({anchor, start});
  }
  return placed;
}

}  // namespace

BlockRules block_rules(const DrafterConfig& config, double decay_gamma) {
  BlockRules rules{config.block_size, config.mask_token_id, decay_gamma, std::nullopt, std::nullopt};
  if (any_full(config.layer_types)) {
    rules.full_layers = BlockPattern{0, is_causal_in_block(config, LayerType::full_attention)};
  }
  if (any_slides(config.layer_types)) {
    rules.sliding_layers =
        BlockPattern{config.sliding_window, is_causal_in_block(config, LayerType::sliding_attention)};
  }
  return rules;
}

BlockBatch make_block_batch(const HiddenStateBatch& batch, std::span<const int64_t> anchors, const BlockRules& rules,
                            at::Device device) {
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
  const std::vector<PlacedAnchor> placed = place_anchors(anchors, tokens);
  if (rules.full_layers) blocks.full = make_block_mask(placed, rules.block_size, *rules.full_layers, device);
  if (rules.sliding_layers) blocks.sliding = make_block_mask(placed, rules.block_size, *rules.sliding_layers, device);
  return blocks;
}

}  // namespace dflash
