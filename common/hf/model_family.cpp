#include "common/hf/model_family.h"

#include <algorithm>
#include <array>

namespace dflash {

#define DFLASH_FAMILY(name) const ModelFamily& name##_family();
#include "common/hf/families/families.inc"
#undef DFLASH_FAMILY

std::span<const ModelFamily* const> model_families() {
#define DFLASH_FAMILY(name) &name##_family(),
  static const std::array families{
#include "common/hf/families/families.inc"
  };
#undef DFLASH_FAMILY
  return families;
}

void read_qwen_windows(const ConfigFields& fields, ModelConfig& config) {
  constexpr int64_t kAbsentWindow = 4096, kAbsentFirstLayer = 28;  // of the Qwen2 and Qwen3 config classes
  const bool used = fields.flag("use_sliding_window", false);
  const bool null_window = fields.is_null("sliding_window");
  if (const auto types = read_layer_types(fields, config.num_hidden_layers)) {
    config.layer_types = *types;
    if (any_slides(*types) && (!used || null_window)) {
      fields.refuse("layer_types",
                    "holds sliding_attention, but there is no window: set use_sliding_window to true and "
                    "sliding_window to its rows");
    }
  } else if (used && !null_window) {
    const int64_t first = fields.optional_integer("max_window_layers", 0, kMostLayers).value_or(kAbsentFirstLayer);
    for (int64_t layer = std::min(first, config.num_hidden_layers); layer < config.num_hidden_layers; ++layer) {
      config.layer_types[static_cast<size_t>(layer)] = LayerType::sliding_attention;
    }
  }
  if (!any_slides(config.layer_types)) return;  // a number beside it counts for nothing
  config.sliding_window = fields.optional_integer("sliding_window", 1, kLargestSize).value_or(kAbsentWindow);
}

}  // namespace dflash
