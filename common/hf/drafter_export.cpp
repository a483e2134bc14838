// The config.json that goes out with a drafter.

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

/// The one rule of all layers, if there is one.
std::optional<bool> common_block_rule(const DrafterConfig& config) {
  const bool first = is_causal_in_block(config, config.layer_types.front());
  for (const LayerType type : config.layer_types) {
    if (is_causal_in_block(config, type) != first) return std::nullopt;
  }
  return first;
}

Json layer_types_json(const DrafterConfig& config) {
  Json names = Json::array();
  for (const LayerType type : config.layer_types) names.push_back(std::string(layer_type_name(type)));
  return names;
}

}  // namespace

Json drafter_config_json(const DrafterConfig& config) {
  const bool slides = any_slides(config.layer_types);
  Json json{{"architectures", Json::array({"DFlashDraftModel"})},
            {"model_type", "qwen3"},
            {"block_size", config.block_size},
            {"num_target_layers", config.num_target_layers},
            {"dflash_config",
             {{"block_size", config.block_size},
              {"mask_token_id", config.mask_token_id},
              {"target_layer_ids", config.target_layer_ids}}},
            {"hidden_size", config.hidden_size},
            {"intermediate_size", config.intermediate_size},
            {"num_hidden_layers", config.num_hidden_layers},
            {"num_attention_heads", config.num_attention_heads},
            {"num_key_value_heads", config.num_key_value_heads},
            {"head_dim", config.head_dim},
            {"vocab_size", config.vocab_size},
            {"hidden_act", "silu"},
            {"rms_norm_eps", config.rms_norm_eps},
            {"rope_theta", config.rope.theta},
            {"rope_scaling", rope_scaling_json(config.rope)},
            {"max_position_embeddings", config.max_position_embeddings},
            {"attention_bias", config.attention_bias},
            {"attention_dropout", 0.0},
            {"initializer_range", 0.02},
            {"tie_word_embeddings", false},
            {"use_cache", true},
            {"layer_types", layer_types_json(config)},
            {"sliding_window", slides ? Json(config.sliding_window) : Json()},
            {"use_sliding_window", slides},
            {"max_window_layers", config.num_hidden_layers},
            {"bos_token_id", number_or_null(config.bos_token_id)},
            {"eos_token_id", eos_json(config.eos_token_ids)},
            {"pad_token_id", number_or_null(config.pad_token_id)},
            {"dtype", config_dtype_name(config.dtype)}};
  if (const auto rule = common_block_rule(config)) json["is_causal"] = json["dflash_config"]["causal"] = *rule;
  return json;
}

}  // namespace dflash
