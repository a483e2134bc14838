#include "common/hf/drafter_config.h"

#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/base/log.h"
#include "common/hf/config_fields.h"

namespace dflash {
namespace {

/// Looks into dflash_config first, then at the top level.
class DrafterFields {
 public:
  DrafterFields(const ConfigFields& top, const ConfigFields& nested) : top_(top), nested_(nested) {}
  [[nodiscard]] const ConfigFields& place_of(const std::string& key) const { return nested_.has(key) ? nested_ : top_; }
  [[nodiscard]] std::array<const ConfigFields*, 2> both() const { return {&nested_, &top_}; }

 private:
  const ConfigFields& top_;
  const ConfigFields& nested_;
};

/// A key that gives some reader another network, unless it has the one value that does nothing.
struct SwitchKey {
  const char* name;
  Json harmless;
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
                                           {"is_causal", false},
                                           {"causal", false},
                                           {"markov_rank", 0},
                                           {"enable_confidence_head", false},
                                           {"sample_from_anchor", false},
                                           {"use_aux_hidden_state", true}};
  return keys;
}

void refuse_switches(const ConfigFields& fields) {
  constexpr const char* kWhy = "makes it another network than a plain DFlash drafter";
  for (const SwitchKey& key : switch_keys()) {
    if (fields.has(key.name) && fields.value(key.name) != key.harmless) fields.refuse(key.name, kWhy);
  }
  for (const auto& item : fields.json().items()) {
    const bool variant = item.key().starts_with("conv_") || item.key().starts_with("selector_");
    if (variant && fields.has(item.key())) fields.refuse(item.key(), kWhy);
  }
}

void refuse_other_formats(const ConfigFields& fields) {
  if (fields.has("speculators_model_type")) {
    fields.refuse("speculators_model_type", "is the speculators format: expected the z-lab format");
  }
  if (fields.text("model_type") != "qwen3") {
    fields.refuse("model_type", format("is '{}': expected qwen3", fields.text("model_type")));
  }
  if (!fields.has("architectures")) return;
  const Json& names = fields.value("architectures");
  const bool plain =
      names.is_array() && names.size() == 1 && (names[0] == "DFlashDraftModel" || names[0] == "Qwen3DFlashDraftModel");
  if (!plain) fields.refuse("architectures", format("is {}: expected DFlashDraftModel", names.dump()));
}

/// Sizes that differ from the target's switch on reduced vocabularies or another fusion.
void refuse_reductions(const ConfigFields& fields, const DrafterConfig& config) {
  for (const char* key : {"draft_vocab_size", "target_vocab_size"}) {
    if (fields.has(key) && fields.value(key) != config.vocab_size) {
      fields.refuse(key, "differs from vocab_size: reduced vocabularies are not computed");
    }
  }
  if (fields.has("target_hidden_size") && fields.value("target_hidden_size") != config.hidden_size) {
    fields.refuse("target_hidden_size", "differs from hidden_size: other widths are not computed");
  }
}

std::vector<int64_t> read_layer_ids(const DrafterFields& fields, const DrafterConfig& config) {
  const ConfigFields& place = fields.place_of("target_layer_ids");
  std::vector<int64_t> ids = place.integers("target_layer_ids", 0, config.num_target_layers - 1);
  if (!place.has("target_layer_ids")) ids = default_layer_ids(config.num_target_layers, config.num_hidden_layers);
  const bool ascend = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
  if (ids.empty() || !ascend || ids.front() < 0 || ids.back() >= config.num_target_layers) {
    place.refuse("target_layer_ids", format("gives [{}]: expected ascending ids from 0 to {}", join(ids, ", "),
                                            config.num_target_layers - 1));
  }
  if (ids.back() == config.num_target_layers - 1) {
    log_warn(format("{}: target_layer_ids holds the target's last layer {}; other readers feed the normed state there",
                    place.source(), ids.back()));
  }
  return ids;
}

}  // namespace

DrafterConfig read_drafter_config(const std::filesystem::path& folder) {
  const auto path = folder / "config.json";
  return parse_drafter_config(read_json_file(path), path.string());
}

DrafterConfig parse_drafter_config(const Json& json, const std::string& source) {
  const ConfigFields top(json, source);
  const Json nested_json = top.has("dflash_config") ? top.value("dflash_config") : Json::object();
  const ConfigFields nested(nested_json, source + ": dflash_config");
  const DrafterFields fields(top, nested);
  refuse_other_formats(top);
  for (const ConfigFields* place : fields.both()) refuse_switches(*place);
  DrafterConfig config;
  read_decoder_fields(top, config);
  for (const ConfigFields* place : fields.both()) refuse_reductions(*place, config);
  config.block_size = fields.place_of("block_size").integer("block_size", 2, kLargestSize);
  config.mask_token_id = fields.place_of("mask_token_id").integer("mask_token_id", 0, config.vocab_size - 1);
  config.num_target_layers = fields.place_of("num_target_layers").integer("num_target_layers", 1, kMostLayers);
  config.target_layer_ids = read_layer_ids(fields, config);
  return config;
}

}  // namespace dflash
