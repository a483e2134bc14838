#include "common/hf/drafter_config.h"

#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/base/log.h"
#include "common/hf/decoder_fields.h"
#include "common/hf/switch_keys.h"

namespace dflash {
namespace {

constexpr int64_t kAbsentHeadDim = 128;  // of the Qwen3 config class

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

void refuse_switches(const ConfigFields& fields) {
  const auto keys = keys_of_another_network(fields.json());
  if (!keys.empty()) fields.refuse(keys.front(), "makes it another network than a plain DFlash drafter");
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

/// dflash-semantics-2, 1.1: sliding layers with a number slide, even where use_sliding_window is missing.
void read_windows(const ConfigFields& fields, DrafterConfig& config) {
  const bool used = fields.flag("use_sliding_window", false);
  const auto types = read_layer_types(fields, config.num_hidden_layers);
  if (!types && used) fields.refuse("layer_types", "is missing, but use_sliding_window is true: which layers slide?");
  const std::vector<LayerType> all_full(static_cast<size_t>(config.num_hidden_layers), LayerType::full_attention);
  config.layer_types = types.value_or(all_full);
  if (!any_slides(config.layer_types)) return;
  config.sliding_window = fields.integer("sliding_window", 1, kLargestSize);
  if (config.sliding_window < config.block_size) {
    fields.refuse("sliding_window", format("is {}, less than the block of {}: readers differ whether it cuts the block",
                                           config.sliding_window, config.block_size));
  }
  if (!used) {
    log_warn(
        format("{}: layers slide, but use_sliding_window is not true: some readers will serve this drafter "
               "without its window",
               fields.source()));
  }
}

/// dflash_config.causal alone: vLLM goes by it, z-lab's package and SGLang by the kind of layer.
void read_nested_block_rule(const ConfigFields& nested, DrafterConfig& config) {
  config.is_causal = nested.flag("causal", false);
  if (*config.is_causal ? any_full(config.layer_types) : any_slides(config.layer_types)) {
    log_warn(
        format("{}: causal is {} without is_causal beside it at the top level: some readers go by the kind of "
               "layer instead",
               nested.source(), *config.is_causal));
  }
}

/// `is_causal` at the top level, else `dflash_config.causal`, else by kind of layer. Some JetSpec drafters say false at
/// the top and true inside: they are causal (dflash-semantics-2, 6).
void read_block_rule(const ConfigFields& top, const ConfigFields& nested, DrafterConfig& config) {
  if (top.has("is_causal")) config.is_causal = top.flag("is_causal", false);
  if (!nested.has("causal")) return;
  if (!config.is_causal) return read_nested_block_rule(nested, config);
  const bool inside = nested.flag("causal", false);
  if (*config.is_causal == inside) return;
  if (!inside || any_slides(config.layer_types)) {
    nested.refuse("causal", format("is {}, but is_causal at the top level is {}: readers go by one or the other",
                                   inside, *config.is_causal));
  }
  log_warn(format("{}: is_causal is false, dflash_config.causal true; taken as causal, as such drafters are trained",
                  top.source()));
  config.is_causal = true;
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

bool is_causal_in_block(const DrafterConfig& config, LayerType type) {
  return config.is_causal.value_or(type == LayerType::sliding_attention);
}

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
  read_decoder_fields(top, kAbsentHeadDim, config);
  config.attention_bias = top.flag("attention_bias", false);
  for (const ConfigFields* place : fields.both()) refuse_reductions(*place, config);
  config.block_size = fields.place_of("block_size").integer("block_size", 2, kLargestSize);
  if (top.has("block_size") && top.value("block_size") != config.block_size) {
    log_warn(format("{}: block_size is {} in dflash_config and {} beside it; the former is used", source,
                    config.block_size, top.value("block_size").dump()));
  }
  config.mask_token_id = fields.place_of("mask_token_id").integer("mask_token_id", 0, config.vocab_size - 1);
  config.num_target_layers = fields.place_of("num_target_layers").integer("num_target_layers", 1, kMostLayers);
  config.target_layer_ids = read_layer_ids(fields, config);
  read_windows(top, config);
  read_block_rule(top, nested, config);
  return config;
}

}  // namespace dflash
