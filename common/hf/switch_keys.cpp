#include "common/hf/switch_keys.h"

namespace dflash {
namespace {

struct SwitchKey {
  const char* name;
  Json harmless;  // the one value that does nothing
};

const std::vector<SwitchKey>& switch_keys() {
  static const std::vector<SwitchKey> keys{{"output_multiplier", 1},
                                           {"final_logit_softcapping", 0},
                                           {"input_embedding_scale", 1},
                                           {"logit_scale", 1},
                                           {"attention_value_scale", 1},
                                           {"attention_sink_bias", false},
                                           {"use_gemma_norm", false},
                                           {"is_neox_style", true},
                                           {"use_swa", false},
                                           {"projector_type", {}},
                                           {"has_own_lm_head", false},
                                           {"has_embed_tokens", false},
                                           {"n_predict", {}},
                                           {"quantization_config", {}},
                                           {"markov_rank", 0},
                                           {"enable_confidence_head", false},
                                           {"sample_from_anchor", false},
                                           {"use_aux_hidden_state", true}};
  return keys;
}

}  // namespace

std::vector<std::string> keys_of_another_network(const Json& config) {
  std::vector<std::string> found;
  for (const SwitchKey& key : switch_keys()) {
    const auto place = config.find(key.name);
    if (place != config.end() && !place->is_null() && *place != key.harmless) found.emplace_back(key.name);
  }
  for (const auto& item : config.items()) {
    const bool variant = item.key().starts_with("conv_") || item.key().starts_with("selector_");
    if (variant && !item.value().is_null()) found.push_back(item.key());
  }
  return found;
}

}  // namespace dflash
