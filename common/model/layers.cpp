#include "common/model/layers.h"

#include <ATen/ATen.h>

namespace dflash {

DecoderLayer take_decoder_layer(const std::string& prefix, const LayerSizes& sizes, const TakeTensor& take) {
  const int64_t hidden = sizes.hidden_size, inner = sizes.intermediate_size, head = sizes.head_dim;
  const int64_t query_width = sizes.num_attention_heads * head, key_width = sizes.num_key_value_heads * head;
  const auto norm = [&](const char* name, int64_t width) { return take(prefix + name + ".weight", {width}); };
  const auto dense = [&](const std::string& name, int64_t out, int64_t in, bool bias) {
    return Linear{take(prefix + name + ".weight", {out, in}),
                  bias ? take(prefix + name + ".bias", {out}) : at::Tensor()};
  };
  DecoderLayer layer;
  layer.input_layernorm = norm("input_layernorm", hidden);
  layer.q_proj = dense("self_attn.q_proj", query_width, hidden, sizes.attention_bias);
  layer.k_proj = dense("self_attn.k_proj", key_width, hidden, sizes.attention_bias);
  layer.v_proj = dense("self_attn.v_proj", key_width, hidden, sizes.attention_bias);
  layer.q_norm = norm("self_attn.q_norm", head);
  layer.k_norm = norm("self_attn.k_norm", head);
  layer.o_proj = dense("self_attn.o_proj", hidden, query_width, sizes.attention_bias);
  layer.post_attention_layernorm = norm("post_attention_layernorm", hidden);
  layer.gate_proj = dense("mlp.gate_proj", inner, hidden, false);
  layer.up_proj = dense("mlp.up_proj", inner, hidden, false);
  layer.down_proj = dense("mlp.down_proj", hidden, inner, false);
  return layer;
}

at::Tensor linear(const at::Tensor& x, const Linear& layer) {
  return at::linear(x, layer.weight, layer.bias);
}

at::Tensor gated_mlp(const at::Tensor& x, const DecoderLayer& layer) {
  return linear(at::silu(linear(x, layer.gate_proj)) * linear(x, layer.up_proj), layer.down_proj);
}

}  // namespace dflash
