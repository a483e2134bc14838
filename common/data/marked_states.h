// Marked states: captured states as they leave a device with memory of its own: a mark that says whether all are
// finite, then the states as they travel. One copy brings both into a slot.
//
//   launch(stream, [&](std::span<std::byte> captured, std::span<std::byte> marked) {
//     pack_marked_states(captured, layout, noise, marked);
//   }, captured, marked);                                                         on any kind of device
//   copy marked to byte marked_states_offset(layout) of the slot; when it has landed: batch_slot.h, finish_batch_slot
//
// Threading: pure functions, called by kernels (on_stream.h). Errors: Error{internal} when a span does not fit.
#pragma once

#include <cstddef>
#include <span>

#include "common/data/batch_layout.h"
#include "common/data/captured_states.h"

namespace dflash {

/// Room of the mark, so that the states behind it are aligned.
constexpr size_t kMarkBytes = 64;

[[nodiscard]] inline size_t marked_states_bytes(const BatchLayout& layout) {
  return kMarkBytes + layout.captured_bytes();
}
/// Where they belong in a slot: the mark lies over the end of the ids, which are written when it has been read.
[[nodiscard]] inline size_t marked_states_offset(const BatchLayout& layout) {
  return layout.captured_offset - kMarkBytes;
}

/// Lays captured [L, T, H] out as `layout` says, with `noise` where the layers are packed.
void pack_marked_states(std::span<const std::byte> captured, const BatchLayout& layout, const StateNoise& noise,
                        std::span<std::byte> marked);
/// On the host: true when all values were finite.
[[nodiscard]] bool read_mark(std::span<const std::byte> marked);

/// The kernel's job for `captured`, split or packed as the layout says: also what tests hold it against.
struct PackJob;
[[nodiscard]] PackJob pack_job(std::span<const std::byte> captured, const BatchLayout& layout, const StateNoise& noise,
                               std::span<std::byte> marked);
/// Adds noise to packed states in place; `mark` is room for the kernel's own.
[[nodiscard]] PackJob noise_job(std::span<std::byte> packed, const BatchLayout& layout, const StateNoise& noise,
                                std::span<std::byte> mark);

}  // namespace dflash
