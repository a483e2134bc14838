// Qwen2 and Qwen2.5: biases on q, k and v, always, and never on o.
#include "common/hf/model_family.h"

namespace dflash {
namespace {

void read_layers(const ConfigFields& fields, ModelConfig& config) {
  config.qkv_bias = true;
  read_qwen_windows(fields, config);
}

}  // namespace

const ModelFamily& qwen2_family() {
  static constexpr ModelFamily kFamily{"qwen2", "Qwen2ForCausalLM", 0, read_layers};
  return kFamily;
}

}  // namespace dflash
