// What a drafter folder holds: the keys of its config.json and the tensors of its weights.
#include <algorithm>

#include "common/base/format.h"
#include "common/hf/drafter_config.h"

namespace dflash {
namespace {

template <typename Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json eos_json(const std::vector<int64_t>& ids) {
  if (ids.empty()) return {};
  return ids.size() == 1 ? Json(ids.front()) : Json(ids);
}

void add_layer_shapes(const DrafterConfig& config, int64_t layer, std::vector<TensorShape>& tensors) {
  const int64_t hidden = config.hidden_size, inner = config.intermediate_size;
  const int64_t query = config.num_attention_heads * config.head_dim;
  const int64_t key = config.num_key_value_heads * config.head_dim;
  const auto add = [&](const char* leaf, std::vector<int64_t> shape) {
    tensors.push_back({format("layers.{}.{}", layer, leaf), std::move(shape)});
  };
  add("input_layernorm.weight", {hidden});
  add("post_attention_layernorm.weight", {hidden});
  add("mlp.gate_proj.weight", {inner, hidden});
  add("mlp.up_proj.weight", {inner, hidden});
  add("mlp.down_proj.weight", {hidden, inner});
  add("self_attn.q_norm.weight", {config.head_dim});
  add("self_attn.k_norm.weight", {config.head_dim});
  add("self_attn.q_proj.weight", {query, hidden});
  add("self_attn.k_proj.weight", {key, hidden});
  add("self_attn.v_proj.weight", {key, hidden});
  add("self_attn.o_proj.weight", {hidden, query});
  if (!config.attention_bias) return;
  add("self_attn.q_proj.bias", {query});
  add("self_attn.k_proj.bias", {key});
  add("self_attn.v_proj.bias", {key});
  add("self_attn.o_proj.bias", {hidden});
}

}  // namespace

Json drafter_config_json(const DrafterConfig& config) {
  const std::vector<std::string> layer_types(static_cast<size_t>(config.num_hidden_layers), "full_attention");
  return {{"architectures", Json::array({"DFlashDraftModel"})},
          {"model_type", "qwen3"},
          {"block_size", config.block_size},
          {"num_target_layers", config.num_target_layers},
          {"dflash_config",
           {{"block_size", config.block_size},
            {"mask_token_id", config.mask_token_id},
            {"target_layer_ids", config.target_layer_ids},
            {"causal", false}}},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"num_hidden_layers", config.num_hidden_layers},
          {"num_attention_heads", config.num_attention_heads},
          {"num_key_value_heads", config.num_key_value_heads},
          {"head_dim", config.head_dim},
          {"vocab_size", config.vocab_size},
          {"hidden_act", "silu"},
          {"rms_norm_eps", config.rms_norm_eps},
          {"rope_theta", config.rope_theta},
          {"rope_scaling", nullptr},
          {"max_position_embeddings", config.max_position_embeddings},
          {"attention_bias", config.attention_bias},
          {"attention_dropout", 0.0},
          {"initializer_range", 0.02},
          {"tie_word_embeddings", false},
          {"use_cache", true},
          {"layer_types", layer_types},
          {"sliding_window", nullptr},
          {"use_sliding_window", false},
          {"max_window_layers", config.num_hidden_layers},
          {"bos_token_id", number_or_null(config.bos_token_id)},
          {"eos_token_id", eos_json(config.eos_token_ids)},
          {"pad_token_id", number_or_null(config.pad_token_id)},
          {"dtype", config.dtype == DType::bf16 ? "bfloat16" : "float32"},
          {"is_causal", false}};
}

std::vector<TensorShape> drafter_tensor_shapes(const DrafterConfig& config) {
  const int64_t hidden = config.hidden_size;
  const auto captured = static_cast<int64_t>(config.target_layer_ids.size());
  std::vector<TensorShape> tensors{
      {"fc.weight", {hidden, captured * hidden}}, {"hidden_norm.weight", {hidden}}, {"norm.weight", {hidden}}};
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) add_layer_shapes(config, layer, tensors);
  std::sort(tensors.begin(), tensors.end(), [](const TensorShape& a, const TensorShape& b) { return a.name < b.name; });
  return tensors;
}

}  // namespace dflash
