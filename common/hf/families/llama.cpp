// Llama 2 and 3: biases only where attention_bias and mlp_bias say so; no layer slides.
#include "common/hf/model_family.h"

namespace dflash {
namespace {

void read_layers(const ConfigFields& fields, ModelConfig& config) {
  config.qkv_bias = config.o_bias = fields.flag("attention_bias", false);
  config.mlp_bias = fields.flag("mlp_bias", false);
  const auto types = read_layer_types(fields, config.num_hidden_layers);
  if (types && any_slides(*types)) fields.refuse("layer_types", "holds sliding_attention: Llama layers do not slide");
}

}  // namespace

const ModelFamily& llama_family() {
  static constexpr ModelFamily kFamily{"llama", "LlamaForCausalLM", 0, read_layers};
  return kFamily;
}

}  // namespace dflash
