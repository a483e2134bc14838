// Which layers of a decoder slide: see only a window of the rows before them.
//
// The window rule (golden/target): row j is visible to row i iff 0 <= i - j < W, by row index, not by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/hf/config_fields.h"

namespace dflash {

enum class LayerType : uint8_t { full_attention, sliding_attention };

/// As config.json spells it: "full_attention", "sliding_attention".
[[nodiscard]] std::string_view layer_type_name(LayerType type);

/// `layer_types`: one for each layer; nothing when the key is absent or an empty list. Error{input_file} for other
/// kinds of layers and other lengths.
[[nodiscard]] std::optional<std::vector<LayerType>> read_layer_types(const ConfigFields& fields,
                                                                     int64_t num_hidden_layers);

[[nodiscard]] bool any_slides(const std::vector<LayerType>& types);
[[nodiscard]] bool any_full(const std::vector<LayerType>& types);

/// Rows a layer of a ModelConfig or DrafterConfig sees, its own included; 0: all of them.
template <typename Config>
[[nodiscard]] int64_t layer_window(const Config& config, int64_t layer) {
  const bool slides = config.layer_types[static_cast<size_t>(layer)] == LayerType::sliding_attention;
  return slides ? config.sliding_window : 0;
}

}  // namespace dflash
