// Mistral: no biases; every layer slides when sliding_window is a number.
#include <algorithm>

#include "common/hf/model_family.h"

namespace dflash {
namespace {

/// The config class puts 4096 where the key is absent; releases without windows write null.
constexpr int64_t kAbsentWindow = 4096;

void read_layers(const ConfigFields& fields, ModelConfig& config) {
  const bool null_window = fields.is_null("sliding_window");
  const auto given = read_layer_types(fields, config.num_hidden_layers);
  if (given) {
    config.layer_types = *given;
  } else if (!null_window) {
    std::fill(config.layer_types.begin(), config.layer_types.end(), LayerType::sliding_attention);
  }
  if (!any_slides(config.layer_types)) return;
  if (null_window) fields.refuse("sliding_window", "is null, but layer_types holds sliding_attention");
  config.sliding_window = fields.optional_integer("sliding_window", 1, kLargestSize).value_or(kAbsentWindow);
}

}  // namespace

const ModelFamily& mistral_family() {
  static constexpr ModelFamily kFamily{"mistral", "MistralForCausalLM", 0, read_layers};
  return kFamily;
}

}  // namespace dflash
