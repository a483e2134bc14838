// How a batch is stored when its recording is to take less room: everything as it is but the captured states.
//
//   bfloat16   [slot up to captured | bf16[T, L*H]]
//   float8     [slot up to captured | scale f32[T, L] | e4m3[T, L*H]]     value = e4m3 * scale: a scale for every token
//                                                                         of every layer, its largest value / 448
//
// Packed layouts only. Threading: pure functions. Errors: Error{internal} when a span does not fit.
#pragma once

#include <cstddef>
#include <span>

#include "common/data/batch_layout.h"

namespace dflash {

enum class StateStorage { bfloat16, float8 };

/// What storing cost, over all finite states stored so far.
struct StorageLoss {
  double square_error_sum = 0;
  double square_sum = 0;
  double largest = 0;  // |error| / the largest |value| of its token and layer

  /// Root of the mean square error over that of the values.
  [[nodiscard]] double relative_rms() const;
};

[[nodiscard]] size_t stored_batch_bytes(const BatchLayout& layout, StateStorage storage);
/// `slot` -> `stored`, of stored_batch_bytes; adds to `loss`.
void store_batch(std::span<const std::byte> slot, const BatchLayout& layout, StateStorage storage,
                 std::span<std::byte> stored, StorageLoss& loss);
void restore_batch(std::span<const std::byte> stored, const BatchLayout& layout, StateStorage storage,
                   std::span<std::byte> slot);

}  // namespace dflash
