// A batch's slot, filled on the target and made ready for training on the drafter. Bytes in, bytes out: what a kernel
// of the device layer does on either side.
//
// Threading: pure functions. Errors: Error{internal} when a span does not fit the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/data/batch_layout.h"
#include "common/data/captured_states.h"
#include "common/data/preloaded_dataset.h"

namespace dflash {

/// Writes header, ids and states of batch `sequence`: packed, with `noise` added, or split as `layout` says, where the
/// noise is left to the drafter. `captured`: [L, T, H].
void fill_batch_slot(std::span<std::byte> slot, const BatchLayout& layout, int64_t sequence, const Pack& pack,
                     std::span<const std::byte> captured, const StateNoise& noise);

/// The same for states that a device has brought (marked_states.h): `slot` holds them, with their mark, where they
/// belong; this writes ids and header.
void finish_batch_slot(std::span<std::byte> slot, const BatchLayout& layout, int64_t sequence, const Pack& pack,
                       const StateNoise& noise);

/// Whether a received batch is not yet what a drafter trains on: its layers are split, or noise is due and not added.
[[nodiscard]] bool needs_assembly(const BatchHeader& header, const BatchLayout& layout, const StateNoise& noise);

/// Writes the batch in `slot` into `assembled`, a slot of packed_layout(layout), with its layers side by side and its
/// noise added. The bits are those fill_batch_slot gives for a packed layout and the same noise.
void assemble_batch(std::span<const std::byte> slot, const BatchLayout& layout, const StateNoise& noise,
                    std::span<std::byte> assembled);

/// assemble_batch as a kernel of any kind of device (on_stream.h), where the host cannot read the slot: `header` is
/// what was read of it before. On cuda the header is not written to `assembled`: nobody there reads it.
void assemble_batch_in_kernel(const BatchHeader& header, std::span<std::byte> slot, const BatchLayout& layout,
                              const StateNoise& noise, std::span<std::byte> assembled);

/// Buffers of slot_bytes that a drafter needs for two batches, one in training and one arriving. `copies`: its device
/// has memory of its own. `assembles`: batches arrive split, or noise may be due.
[[nodiscard]] constexpr size_t loader_buffer_count(bool copies, bool assembles) {
  return (copies ? 2 : 0) + (assembles ? 2 : 0);
}

}  // namespace dflash
