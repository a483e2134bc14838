// The building blocks that target and drafter share: linear, gated MLP, and the weights of one decoder layer.
//
// Numerics follow the Hugging Face modules (dflash-semantics 1.1): linear weights [out, in], matrix products in the
// dtype of their inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "common/hf/tensor_shapes.h"

namespace dflash {

struct Linear {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out], or undefined
};

/// Weights of one decoder layer. A drafter's layers are those of Qwen3.
struct DecoderLayer {
  at::Tensor input_layernorm;            // [H]
  Linear q_proj, k_proj, v_proj;         // [n_h*d, H], [n_kv*d, H]
  at::Tensor q_norm, k_norm;             // [d], or undefined
  Linear o_proj;                         // [H, n_h*d]
  at::Tensor post_attention_layernorm;   // [H]
  Linear gate_proj, up_proj, down_proj;  // [I, H], [I, H], [H, I]
};

/// Fetches one tensor by name: from a file, whose shapes it checks, or from the drafter's parameters.
using TakeTensor = std::function<at::Tensor(const std::string& name)>;

/// The layer whose tensors are called prefix + "self_attn.q_proj.weight" and so on.
[[nodiscard]] DecoderLayer take_decoder_layer(const std::string& prefix, const LayerSizes& sizes,
                                              const TakeTensor& take);

[[nodiscard]] at::Tensor linear(const at::Tensor& x, const Linear& layer);

/// down(silu(gate(x)) * up(x))
[[nodiscard]] at::Tensor gated_mlp(const at::Tensor& x, const DecoderLayer& layer);

}  // namespace dflash
