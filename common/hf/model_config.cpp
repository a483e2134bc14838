#include "common/hf/model_config.h"

#include <algorithm>
#include <set>

#include "common/base/format.h"
#include "common/hf/decoder_fields.h"
#include "common/hf/model_family.h"
#include "common/hf/model_weights.h"

namespace dflash {
namespace {

const ModelFamily& family_of(const ConfigFields& fields) {
  if (fields.has("text_config")) fields.refuse("text_config", "nested multimodal models are not read");
  const std::string type = fields.text("model_type");
  std::vector<std::string> known;
  for (const ModelFamily* family : model_families()) {
    if (type == family->model_type) return *family;
    known.emplace_back(family->model_type);
  }
  fields.refuse("model_type", format("is '{}': expected one of {}", type, join(known, ", ")));
}

void refuse_other_architectures(const ConfigFields& fields, const ModelFamily& family) {
  if (!fields.has("architectures")) return;
  const Json& names = fields.value("architectures");
  if (names.dump().find("DFlash") != std::string::npos) {
    fields.refuse("architectures", format("is {}: this is a drafter's folder, expected a target's", names.dump()));
  }
  const bool known = names.is_array() && std::find(names.begin(), names.end(), family.architecture) != names.end();
  if (!known) fields.refuse("architectures", format("is {}: expected {}", names.dump(), family.architecture));
}

}  // namespace

ModelConfig read_model_config(const std::filesystem::path& folder) {
  const auto path = folder / "config.json";
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable))
    (void)ModelWeights(folder);  // a GGUF or .bin folder gets its own advice
  return parse_model_config(read_json_file(path), path.string());
}

ModelConfig parse_model_config(const Json& json, const std::string& source) {
  const ConfigFields fields(json, source);
  const ModelFamily& family = family_of(fields);
  refuse_other_architectures(fields, family);
  ModelConfig config;
  config.model_type = family.model_type;
  read_decoder_fields(fields, family.absent_head_dim, config);
  config.tie_word_embeddings = fields.flag("tie_word_embeddings", false);
  config.layer_types.assign(static_cast<size_t>(config.num_hidden_layers), LayerType::full_attention);
  family.read_layers(fields, config);
  return config;
}

std::vector<int64_t> read_stop_tokens(const std::filesystem::path& folder, const ModelConfig& config) {
  std::set<int64_t> tokens(config.eos_token_ids.begin(), config.eos_token_ids.end());
  const auto path = folder / "generation_config.json";
  std::error_code unreadable;
  if (std::filesystem::exists(path, unreadable) || unreadable) {
    const Json json = read_json_file(path);
    const auto more = ConfigFields(json, path.string()).integers("eos_token_id", 0, config.vocab_size - 1);
    tokens.insert(more.begin(), more.end());
  }
  return {tokens.begin(), tokens.end()};
}

}  // namespace dflash
