// The building blocks that target and drafter share: linear, gated MLP, and the weights of one decoder layer.
//
// Numerics follow the Hugging Face modules (dflash-semantics 1.1): linear weights [out, in], matrix products in the
// dtype of their inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace dflash {

struct Linear {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out], or undefined
};

/// Weights of one Qwen3 decoder layer; the drafter's layers have the same.
struct DecoderLayer {
  at::Tensor input_layernorm;            // [H]
  Linear q_proj, k_proj, v_proj;         // [n_h*d, H], [n_kv*d, H]
  at::Tensor q_norm, k_norm;             // [d]
  Linear o_proj;                         // [H, n_h*d]
  at::Tensor post_attention_layernorm;   // [H]
  Linear gate_proj, up_proj, down_proj;  // [I, H], [I, H], [H, I]
};

struct LayerSizes {
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t num_attention_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  bool attention_bias = false;
};

/// Sizes of a ModelConfig or DrafterConfig.
template <typename Config>
[[nodiscard]] LayerSizes layer_sizes(const Config& config) {
  return {config.hidden_size,         config.intermediate_size, config.num_attention_heads,
          config.num_key_value_heads, config.head_dim,          config.attention_bias};
}

/// Fetches one tensor by name and shape: from a file, or from the drafter's parameters.
using TakeTensor = std::function<at::Tensor(const std::string& name, const std::vector<int64_t>& shape)>;

/// The layer whose tensors are called prefix + "self_attn.q_proj.weight" and so on.
[[nodiscard]] DecoderLayer take_decoder_layer(const std::string& prefix, const LayerSizes& sizes,
                                              const TakeTensor& take);

[[nodiscard]] at::Tensor linear(const at::Tensor& x, const Linear& layer);

/// down(silu(gate(x)) * up(x))
[[nodiscard]] at::Tensor gated_mlp(const at::Tensor& x, const DecoderLayer& layer);

}  // namespace dflash
