// Qwen3: norms on the heads of q and k, a head width of its own, biases only where attention_bias says so.
#include "common/hf/model_family.h"

namespace dflash {
namespace {

void read_layers(const ConfigFields& fields, ModelConfig& config) {
  config.qk_norm = true;
  config.qkv_bias = config.o_bias = fields.flag("attention_bias", false);
  read_qwen_windows(fields, config);
}

}  // namespace

const ModelFamily& qwen3_family() {
  static constexpr ModelFamily kFamily{"qwen3", "Qwen3ForCausalLM", 128, read_layers};
  return kFamily;
}

}  // namespace dflash
