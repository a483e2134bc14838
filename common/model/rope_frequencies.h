// The frequencies behind every kind of rope (dflash-semantics 1.3; numbers for them in 9.6).
#pragma once

#include <cstdint>
#include <vector>

#include "common/hf/rope_config.h"

namespace dflash {

/// Angle per position of each pair of channels, [head_dim / 2]: theta^(-2i/d), rescaled as the kind of rope asks.
[[nodiscard]] std::vector<float> inverse_frequencies(int64_t head_dim, const RopeConfig& rope);

/// What cos and sin are multiplied with: 1 but for yarn.
[[nodiscard]] double rope_attention_factor(const RopeConfig& rope);

}  // namespace dflash
