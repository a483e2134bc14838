#include "common/hf/export_rules/raw_drafter.h"

#include <array>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/config_fields.h"
#include "common/hf/export_rules/raw_values.h"

namespace dflash {
namespace {

/// dflash_config first, as most readers do.
const Json& nested_or_top(const RawDrafter& drafter, const char* key) {
  const Json& inside = raw_member(drafter.nested(), key);
  return drafter.speculators || inside.is_null() ? raw_member(drafter.config, key) : inside;
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

}  // namespace

const Json& RawDrafter::body() const {
  return speculators ? raw_member(config, "transformer_layer_config") : config;
}

const Json& RawDrafter::nested() const {
  return raw_member(config, "dflash_config");
}

RawDrafter read_raw_drafter(const std::filesystem::path& path) {
  RawDrafter drafter;
  drafter.path = path;
  drafter.config = read_json_file(path / "config.json");
  if (!drafter.config.is_object()) {
    throw Error(ErrorKind::input_file, format("{}: expected a JSON object", (path / "config.json").string()));
  }
  drafter.speculators = !raw_member(drafter.config, "speculators_model_type").is_null() ||
                        raw_member(drafter.config, "transformer_layer_config").is_object();
  drafter.weights = read_weight_headers(path);
  drafter.file_names = names_in(path);
  return drafter;
}

std::optional<int64_t> size_of(const RawDrafter& drafter, const std::string& key) {
  const auto size = raw_integer(raw_member(drafter.body(), key));
  return size && *size >= 1 ? size : std::nullopt;
}

std::optional<DrafterConfig> shape_config(const RawDrafter& drafter) {
  DrafterConfig config;
  const std::array fields{std::pair{"hidden_size", &config.hidden_size},
                          std::pair{"intermediate_size", &config.intermediate_size},
                          std::pair{"num_hidden_layers", &config.num_hidden_layers},
                          std::pair{"num_attention_heads", &config.num_attention_heads},
                          std::pair{"num_key_value_heads", &config.num_key_value_heads},
                          std::pair{"head_dim", &config.head_dim}};
  for (const auto& [key, field] : fields) {
    const auto size = size_of(drafter, key);
    if (!size) return std::nullopt;
    *field = *size;
  }
  if (config.num_hidden_layers > kMostLayers) return std::nullopt;
  config.attention_bias = raw_flag(raw_member(drafter.body(), "attention_bias")).value_or(false);
  config.target_layer_ids = layer_ids_of(drafter).value_or(std::vector<int64_t>{0});
  return config;
}

std::optional<int64_t> block_size_of(const RawDrafter& drafter) {
  return raw_integer(nested_or_top(drafter, "block_size"));
}

std::optional<int64_t> mask_token_of(const RawDrafter& drafter) {
  return raw_integer(nested_or_top(drafter, "mask_token_id"));
}

std::optional<std::vector<int64_t>> layer_ids_of(const RawDrafter& drafter) {
  const char* key = drafter.speculators ? "aux_hidden_state_layer_ids" : "target_layer_ids";
  auto ids = raw_integers(nested_or_top(drafter, key));
  if (!ids || ids->empty() || std::cmp_greater(ids->size(), kMostLayers)) return std::nullopt;
  if (drafter.speculators) {
    for (int64_t& id : *ids) --id;
  }
  return ids;
}

std::optional<std::vector<LayerType>> layer_types_of(const RawDrafter& drafter) {
  const auto layers = size_of(drafter, "num_hidden_layers");
  if (!layers || *layers > kMostLayers) return std::nullopt;
  try {
    const std::vector<LayerType> all_full(static_cast<size_t>(*layers), LayerType::full_attention);
    return read_layer_types(ConfigFields(drafter.body(), "config.json"), *layers).value_or(all_full);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<DType> dtype_of(const RawDrafter& drafter) {
  const Json& name = raw_member(drafter.config, "dtype");
  return dtype_from_config_name(raw_text(name.is_null() ? raw_member(drafter.config, "torch_dtype") : name));
}

bool has_reduced_vocabulary(const RawDrafter& drafter) {
  const auto draft = raw_integer(raw_member(drafter.config, "draft_vocab_size"));
  const auto whole = size_of(drafter, "vocab_size");
  return draft && whole && *draft < *whole;
}

}  // namespace dflash
