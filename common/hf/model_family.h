// ModelFamily: what one family of targets does with the keys of its config.json. How to add one: README.md of this
// room.
#pragma once

#include <span>

#include "common/hf/config_fields.h"
#include "common/hf/model_config.h"

namespace dflash {

struct ModelFamily {
  const char* model_type;    // the key `model_type`: "llama"
  const char* architecture;  // must stand in `architectures`: "LlamaForCausalLM"
  int64_t absent_head_dim;   // what a missing `head_dim` means; 0: hidden_size / num_attention_heads
  /// Fills qkv_bias, o_bias, mlp_bias, qk_norm, and which layers slide (all full so far).
  void (*read_layers)(const ConfigFields& fields, ModelConfig& config);
};

/// All families, those of families/families.inc.
[[nodiscard]] std::span<const ModelFamily* const> model_families();

/// The rule of the Qwen families: `layer_types` if present, else the layers from max_window_layers on slide when
/// use_sliding_window is true.
void read_qwen_windows(const ConfigFields& fields, ModelConfig& config);

}  // namespace dflash
