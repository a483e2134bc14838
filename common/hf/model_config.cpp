#include "common/hf/model_config.h"

#include <algorithm>
#include <set>

#include "common/base/format.h"
#include "common/hf/config_fields.h"
#include "common/hf/model_weights.h"

namespace dflash {
namespace {

void refuse_other_models(const ConfigFields& fields) {
  if (fields.text("model_type") != "qwen3") {
    fields.refuse("model_type", format("is '{}': not known, only qwen3 is", fields.text("model_type")));
  }
  if (fields.has("text_config")) fields.refuse("text_config", "nested multimodal models are not read");
  if (!fields.has("architectures")) return;
  const Json& names = fields.value("architectures");
  const bool known = names.is_array() && std::find(names.begin(), names.end(), "Qwen3ForCausalLM") != names.end();
  if (!known) fields.refuse("architectures", format("is {}: expected Qwen3ForCausalLM", names.dump()));
}

}  // namespace

ModelConfig read_model_config(const std::filesystem::path& folder) {
  const auto path = folder / "config.json";
  if (!std::filesystem::exists(path)) (void)ModelWeights(folder);  // a GGUF or .bin folder gets its own advice
  return parse_model_config(read_json_file(path), path.string());
}

ModelConfig parse_model_config(const Json& json, const std::string& source) {
  const ConfigFields fields(json, source);
  refuse_other_models(fields);
  ModelConfig config;
  config.model_type = fields.text("model_type");
  read_decoder_fields(fields, config);
  config.tie_word_embeddings = fields.flag("tie_word_embeddings", false);
  return config;
}

std::vector<int64_t> read_stop_tokens(const std::filesystem::path& folder, const ModelConfig& config) {
  std::set<int64_t> tokens(config.eos_token_ids.begin(), config.eos_token_ids.end());
  const auto path = folder / "generation_config.json";
  if (std::filesystem::exists(path)) {
    const Json json = read_json_file(path);
    const auto more = ConfigFields(json, path.string()).integers("eos_token_id", 0, config.vocab_size - 1);
    tokens.insert(more.begin(), more.end());
  }
  return {tokens.begin(), tokens.end()};
}

}  // namespace dflash
