#include "common/model/layers.h"

#include <ATen/ATen.h>

namespace dflash {

DecoderLayer take_decoder_layer(const std::string& prefix, const LayerSizes& sizes, const TakeTensor& take) {
  const auto norm = [&](const char* name) { return take(prefix + name + ".weight"); };
  const auto dense = [&](const std::string& name, bool bias) {
    return Linear{take(prefix + name + ".weight"), bias ? take(prefix + name + ".bias") : at::Tensor()};
  };
  DecoderLayer layer;
  layer.input_layernorm = norm("input_layernorm");
  layer.q_proj = dense("self_attn.q_proj", sizes.qkv_bias);
  layer.k_proj = dense("self_attn.k_proj", sizes.qkv_bias);
  layer.v_proj = dense("self_attn.v_proj", sizes.qkv_bias);
  if (sizes.qk_norm) {
    layer.q_norm = norm("self_attn.q_norm");
    layer.k_norm = norm("self_attn.k_norm");
  }
  layer.o_proj = dense("self_attn.o_proj", sizes.o_bias);
  layer.post_attention_layernorm = norm("post_attention_layernorm");
  layer.gate_proj = dense("mlp.gate_proj", sizes.mlp_bias);
  layer.up_proj = dense("mlp.up_proj", sizes.mlp_bias);
  layer.down_proj = dense("mlp.down_proj", sizes.mlp_bias);
  return layer;
}

at::Tensor linear(const at::Tensor& x, const Linear& layer) {
  return at::linear(x, layer.weight, layer.bias);
}

at::Tensor gated_mlp(const at::Tensor& x, const DecoderLayer& layer) {
  return linear(at::silu(linear(x, layer.gate_proj)) * linear(x, layer.up_proj), layer.down_proj);
}

}  // namespace dflash
