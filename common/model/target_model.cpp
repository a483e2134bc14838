#include "common/model/target_model.h"

#include <ATen/ATen.h>

#include <map>

#include "common/base/format.h"
#include "common/base/log.h"
#include "common/model/attention.h"
#include "common/model/rms_norm.h"
#include "common/tensor/tensor_file.h"
#include "common/tensor/torch_device.h"

namespace dflash {
namespace {

constexpr const char* kEmbeddingName = "model.embed_tokens.weight";
constexpr const char* kHeadName = "lm_head.weight";

}  // namespace

TargetEnds load_target_ends(const ModelConfig& config, ModelWeights& weights, at::ScalarType type, at::Device device) {
  const std::vector<int64_t> shape{config.vocab_size, config.hidden_size};
  TargetEnds ends;
  ends.embedding = load_tensor(weights, kEmbeddingName, shape, type).to(device);
  const bool tied = config.tie_word_embeddings || !weights.contains(kHeadName);
  if (config.tie_word_embeddings && weights.contains(kHeadName)) {
    log_warn(format("{}: holds {}, but tie_word_embeddings is true: the embedding is used as the head",
                    weights.folder().string(), kHeadName));
  }
  ends.head = tied ? ends.embedding : load_tensor(weights, kHeadName, shape, type).to(device);
  return ends;
}

TargetModel::TargetModel(const ModelConfig& config, ModelWeights& weights, at::ScalarType type, int64_t layers,
                         at::Device device)
    : config_(config), type_(type), rotary_(config.head_dim, config.rope, device) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (TensorShape& tensor : target_tensor_shapes(config)) shapes[tensor.name] = std::move(tensor.shape);
  const TakeTensor take = [&](const std::string& name) {
    return load_tensor(weights, name, shapes.at(name), type).to(device);
  };
  for (int64_t layer = 0; layer < layers; ++layer) {
    layers_.push_back(take_decoder_layer(format("model.layers.{}.", layer), layer_sizes(config), take));
  }
  if (layers == config.num_hidden_layers) {
    ends_ = load_target_ends(config, weights, type, device);
    norm_ = take("model.norm.weight");
  } else {
    ends_.embedding = take(kEmbeddingName);
  }
}

/// A projection cut into heads, [rows, heads, d], each normed where the family does so.
at::Tensor TargetModel::heads(const at::Tensor& x, const Linear& projection, const at::Tensor& norm) const {
  const at::Tensor split = linear(x, projection).view({x.size(0), -1, config_.head_dim});
  return norm.defined() ? rms_norm(split, norm, config_.rms_norm_eps) : split;
}

at::Tensor TargetModel::run(const at::Tensor& input_ids, const at::Tensor& position_ids, const Attend& attend,
                            const VisitLayer& visit) const {
  const RotaryTable table = rotary_.table(position_ids, type_);
  at::Tensor x = embed(input_ids);
  for (int64_t l = 0; l < loaded_layers(); ++l) {
    const DecoderLayer& layer = layers_[static_cast<size_t>(l)];
    const at::Tensor u = rms_norm(x, layer.input_layernorm, config_.rms_norm_eps);
    const at::Tensor q = rotate(heads(u, layer.q_proj, layer.q_norm), table);
    const at::Tensor k = rotate(heads(u, layer.k_proj, layer.k_norm), table);
    x = x + linear(attend(l, q, k, heads(u, layer.v_proj, {})), layer.o_proj);
    x = x + gated_mlp(rms_norm(x, layer.post_attention_layernorm, config_.rms_norm_eps), layer);
    visit(l, x);
  }
  return x;
}

void TargetModel::forward_packed(const PackedInput& input, const VisitLayer& visit) const {
  const c10::InferenceMode no_autograd;
  const Attend attend = [&](int64_t layer, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return document_attention(q, k, v, input.document_starts, layer_window(config_, layer));
  };
  (void)run(input.input_ids, input.position_ids, attend, visit);  // what the visitor copied is the result
}

at::Tensor TargetModel::forward_cached(const at::Tensor& input_ids, std::span<const CachedRows> sequences,
                                       const VisitLayer& visit) const {
  const c10::InferenceMode no_autograd;
  const Attend attend = [&](int64_t layer, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const CacheRule rule{/*causal=*/true, layer_window(config_, layer)};
    std::vector<at::Tensor> mixed;
    int64_t first = 0;
    for (const auto& [cache, rows] : sequences) {
      const KvCache::Layer known = cache->append(layer, k.narrow(0, first, rows), v.narrow(0, first, rows));
      mixed.push_back(cached_attention(q.narrow(0, first, rows), known, rule));
      first += rows;
    }
    return at::cat(mixed);
  };
  const at::Tensor hidden = run(input_ids, next_positions(sequences), attend, visit);
  for (const auto& [cache, rows] : sequences) cache->advance(rows);
  return hidden;
}

at::Tensor TargetModel::final_norm(const at::Tensor& hidden) const {
  return rms_norm(hidden, norm_, config_.rms_norm_eps);
}

at::Tensor TargetModel::logits(const at::Tensor& hidden) const {
  const c10::InferenceMode no_autograd;
  return at::linear(final_norm(hidden), ends_.head);
}

at::Tensor TargetModel::embed(const at::Tensor& input_ids) const {
  return ends_.embedding.index_select(0, to_device(input_ids, ends_.embedding.device()));
}

KvCache TargetModel::make_cache(int64_t capacity) const {
  return {loaded_layers(), config_.num_key_value_heads, capacity, config_.head_dim, type_};
}

}  // namespace dflash
