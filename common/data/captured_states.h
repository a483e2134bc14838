// What happens to a target's captured hidden states on their way into a batch: laid side by side, noise added, checked.
//
// Threading: pure functions. Errors: Error{internal} when a span is not as large as the layout says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/data/batch_layout.h"

namespace dflash {

/// Gaussian noise on the states of one batch. The number added at (token, feature of L*H) depends on these and on
/// nothing else, so it is the same wherever it is added.
struct StateNoise {
  double strength = 0;  // standard deviation; 0: none
  uint64_t seed = 0;
  int64_t sequence = 0;
};

/// Lays the captured layers [L, T, H] side by side into `packed` [T, L*H], in one pass over memory. Noise is added in
/// fp32 to the value as it travels, and the sum rounded once, to nearest even. Returns false when a captured value is
/// not finite. The spans must not overlap.
[[nodiscard]] bool pack_hidden_states_from_captured(std::span<const std::byte> captured, const BatchLayout& layout,
                                                    const StateNoise& noise, std::span<std::byte> packed);

/// Copies the captured layers [L, T, H] as they are. Returns false when a value is not finite.
[[nodiscard]] bool copy_captured_layers(std::span<const std::byte> captured, const BatchLayout& layout,
                                        std::span<std::byte> copy);

/// Adds the noise to states that lie packed [T, L*H], in place: the bits of pack_hidden_states_from_captured.
void add_noise_to_packed(std::span<std::byte> packed, const BatchLayout& layout, const StateNoise& noise);

}  // namespace dflash
