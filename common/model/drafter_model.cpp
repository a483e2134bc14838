#include "common/model/drafter_model.h"

#include <ATen/ATen.h>

#include "common/base/format.h"
#include "common/model/attention.h"
#include "common/model/rms_norm.h"

namespace dflash {

DrafterModel::DrafterModel(const DrafterConfig& config, const TakeTensor& take)
    : config_(config), rotary_(config.head_dim, config.rope, take("norm.weight").device()) {
  fc_.weight = take("fc.weight");
  hidden_norm_ = take("hidden_norm.weight");
  norm_ = take("norm.weight");
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    layers_.push_back(take_decoder_layer(format("layers.{}.", layer), layer_sizes(config), take));
  }
}

DrafterModel DrafterModel::over(const DrafterConfig& config, const DrafterParameters& parameters) {
  return {config, [&](const std::string& name) { return parameters.at(name); }};
}

at::Tensor DrafterModel::context_features(const at::Tensor& captured) const {
  return rms_norm(linear(captured.to(fc_.weight.scalar_type()), fc_), hidden_norm_, config_.rms_norm_eps);
}

KeyValue DrafterModel::key_value(const at::Tensor& rows, const DecoderLayer& layer, const RotaryTable& table) const {
  const auto split = [&](const at::Tensor& x) {
    return x.view({x.size(0), config_.num_key_value_heads, config_.head_dim});
  };
  const at::Tensor keys = rms_norm(split(linear(rows, layer.k_proj)), layer.k_norm, config_.rms_norm_eps);
  return {rotate(keys, table), split(linear(rows, layer.v_proj))};
}

at::Tensor DrafterModel::run(at::Tensor x, const at::Tensor& context, const at::Tensor& block_positions,
                             const at::Tensor& context_positions, const Attend& attend) const {
  const RotaryTable block_table = rotary_.table(block_positions, x.scalar_type());
  const RotaryTable context_table = rotary_.table(context_positions, x.scalar_type());
  for (int64_t l = 0; l < config_.num_hidden_layers; ++l) {
    const DecoderLayer& layer = layers_[static_cast<size_t>(l)];
    const at::Tensor u = rms_norm(x, layer.input_layernorm, config_.rms_norm_eps);  // the block side only
    const at::Tensor heads = linear(u, layer.q_proj).view({x.size(0), config_.num_attention_heads, config_.head_dim});
    const at::Tensor q = rotate(rms_norm(heads, layer.q_norm, config_.rms_norm_eps), block_table);
    const at::Tensor mixed = attend(l, q, key_value(context, layer, context_table), key_value(u, layer, block_table));
    x = x + linear(mixed, layer.o_proj);
    x = x + gated_mlp(rms_norm(x, layer.post_attention_layernorm, config_.rms_norm_eps), layer);
  }
  return rms_norm(x, norm_, config_.rms_norm_eps);
}

at::Tensor DrafterModel::forward(const at::Tensor& context, const at::Tensor& position_ids, const BlockBatch& blocks,
                                 const at::Tensor& block_embeddings) const {
  const Attend attend = [&](int64_t layer, const at::Tensor& q, const KeyValue& prefix, const KeyValue& block) {
    return block_attention(q, prefix, block, layer_window(config_, layer) > 0 ? blocks.sliding : blocks.full);
  };
  return run(block_embeddings, context, blocks.position_ids.flatten(), position_ids, attend);
}

at::Tensor DrafterModel::forward_cached(const at::Tensor& context, const at::Tensor& block_embeddings,
                                        std::span<const DraftRows> sequences) const {
  const c10::InferenceMode no_autograd;
  std::vector<at::Tensor> context_positions, block_positions;
  for (const auto& [cache, context_rows, block_rows] : sequences) {
    const int64_t known = cache->length(), anchor = known + context_rows;
    context_positions.push_back(at::arange(known, anchor, at::kLong));
    block_positions.push_back(at::arange(anchor, anchor + block_rows, at::kLong));
  }
  const Attend attend = [&](int64_t layer, const at::Tensor& q, const KeyValue& prefix, const KeyValue& own) {
    const CacheRule rule{is_causal_in_block(config_, config_.layer_types[static_cast<size_t>(layer)]),
                         layer_window(config_, layer)};
    std::vector<at::Tensor> mixed;
    int64_t first_context = 0, first = 0;
    for (const auto& [cache, context_rows, block_rows] : sequences) {
      const auto rows_of = [&, fresh = context_rows, block = block_rows](const at::Tensor& context_side,
                                                                         const at::Tensor& block_side) {
        return at::cat({context_side.narrow(0, first_context, fresh), block_side.narrow(0, first, block)});
      };
      const KvCache::Layer rows =
          cache->append(layer, rows_of(prefix.keys, own.keys), rows_of(prefix.values, own.values));
      mixed.push_back(cached_attention(q.narrow(0, first, block_rows), rows, rule));
      first_context += context_rows;
      first += block_rows;
    }
    return at::cat(mixed);
  };
  const at::Tensor hidden =
      run(block_embeddings, context, at::cat(block_positions), at::cat(context_positions), attend);
  for (const auto& [cache, context_rows, block_rows] : sequences) cache->advance(context_rows + block_rows);
  return hidden;
}

KvCache DrafterModel::make_cache(int64_t capacity) const {
  return {config_.num_hidden_layers, config_.num_key_value_heads, capacity, config_.head_dim, fc_.weight.scalar_type()};
}

}  // namespace dflash
