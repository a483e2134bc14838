#include "common/hf/tensor_shapes.h"

#include <algorithm>

#include "common/base/format.h"

namespace dflash {
namespace {

/// Collects the tensors of one layer.
class LayerShapes {
 public:
  LayerShapes(std::string prefix, std::vector<TensorShape>& tensors) : prefix_(std::move(prefix)), tensors_(tensors) {}
  void norm(const char* name, int64_t width) { add(format("{}.weight", name), {width}); }
  void linear(const char* name, int64_t out, int64_t in, bool bias) {
    add(format("{}.weight", name), {out, in});
    if (bias) add(format("{}.bias", name), {out});
  }

 private:
  void add(const std::string& leaf, std::vector<int64_t> shape) {
    tensors_.push_back({prefix_ + leaf, std::move(shape)});
  }
  std::string prefix_;
  std::vector<TensorShape>& tensors_;
};

void add_layer(const LayerSizes& sizes, const std::string& prefix, std::vector<TensorShape>& tensors) {
  const int64_t hidden = sizes.hidden_size, inner = sizes.intermediate_size;
  const int64_t query = sizes.num_attention_heads * sizes.head_dim, key = sizes.num_key_value_heads * sizes.head_dim;
  LayerShapes layer(prefix, tensors);
  layer.norm("input_layernorm", hidden);
  layer.norm("post_attention_layernorm", hidden);
  layer.linear("self_attn.q_proj", query, hidden, sizes.qkv_bias);
  layer.linear("self_attn.k_proj", key, hidden, sizes.qkv_bias);
  layer.linear("self_attn.v_proj", key, hidden, sizes.qkv_bias);
  layer.linear("self_attn.o_proj", hidden, query, sizes.o_bias);
  layer.linear("mlp.gate_proj", inner, hidden, sizes.mlp_bias);
  layer.linear("mlp.up_proj", inner, hidden, sizes.mlp_bias);
  layer.linear("mlp.down_proj", hidden, inner, sizes.mlp_bias);
  if (!sizes.qk_norm) return;
  layer.norm("self_attn.q_norm", sizes.head_dim);
  layer.norm("self_attn.k_norm", sizes.head_dim);
}

std::vector<TensorShape> sorted(std::vector<TensorShape> tensors) {
  std::ranges::sort(tensors, {}, &TensorShape::name);
  return tensors;
}

}  // namespace

LayerSizes layer_sizes(const ModelConfig& config) {
  return {config.hidden_size,
          config.intermediate_size,
          config.num_attention_heads,
          config.num_key_value_heads,
          config.head_dim,
          config.qkv_bias,
          config.o_bias,
          config.mlp_bias,
          config.qk_norm};
}

/// A drafter's layers are Qwen3's.
LayerSizes layer_sizes(const DrafterConfig& config) {
  const bool bias = config.attention_bias;
  return {config.hidden_size, config.intermediate_size, config.num_attention_heads, config.num_key_value_heads,
          config.head_dim,
          /*qkv_bias=*/bias,
          /*o_bias=*/bias,
          /*mlp_bias=*/false,
          /*qk_norm=*/true};
}

std::vector<TensorShape> drafter_tensor_shapes(const DrafterConfig& config) {
  const int64_t hidden = config.hidden_size;
  const auto captured = static_cast<int64_t>(config.target_layer_ids.size());
  std::vector<TensorShape> tensors{
      {"fc.weight", {hidden, captured * hidden}}, {"hidden_norm.weight", {hidden}}, {"norm.weight", {hidden}}};
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    add_layer(layer_sizes(config), format("layers.{}.", layer), tensors);
  }
  return sorted(std::move(tensors));
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return format("[{}]", join(shape, ", "));
}

std::vector<TensorShape> target_tensor_shapes(const ModelConfig& config) {
  const int64_t hidden = config.hidden_size;
  std::vector<TensorShape> tensors{{"model.embed_tokens.weight", {config.vocab_size, hidden}},
                                   {"model.norm.weight", {hidden}}};
  if (!config.tie_word_embeddings) tensors.push_back({"lm_head.weight", {config.vocab_size, hidden}});
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    add_layer(layer_sizes(config), format("model.layers.{}.", layer), tensors);
  }
  return sorted(std::move(tensors));
}

}  // namespace dflash
