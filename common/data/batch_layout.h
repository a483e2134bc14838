// BatchLayout: where each field of a hidden-state batch lies in a slot. A pure function of the settings; both ends of a
// channel compute it and compare its hash before the first byte.
//
//   [BatchHeader | input_ids i32[T] | document_ids i32[T] | position_ids i32[T] | loss_mask u8[T] | captured dtype]
//
// every field 64-byte aligned. `captured` holds the outputs of the captured target layers: packed, [T, L*H], side by
// side; split, [L, T, H], one behind the other, for the drafter to lay side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/dtype.h"

namespace dflash {

struct BatchLayout {
  int64_t pack_tokens = 0;                  // T
  int64_t hidden_size = 0;                  // H
  std::vector<int64_t> captured_layer_ids;  // L of them
  DType captured_dtype = DType::f32;
  bool split_layers = false;

  size_t input_ids_offset = 0;
  size_t document_ids_offset = 0;
  size_t position_ids_offset = 0;
  size_t loss_mask_offset = 0;
  size_t captured_offset = 0;
  size_t slot_bytes = 0;

  [[nodiscard]] int64_t captured_width() const { return static_cast<int64_t>(captured_layer_ids.size()) * hidden_size; }
  [[nodiscard]] size_t captured_bytes() const {
    return static_cast<size_t>(pack_tokens * captured_width()) * dtype_bytes(captured_dtype);
  }
  /// Hash of all of the above and the layout's version.
  [[nodiscard]] uint64_t hash() const;
};

[[nodiscard]] BatchLayout make_batch_layout(int64_t pack_tokens, int64_t hidden_size,
                                            std::vector<int64_t> captured_layer_ids, DType captured_dtype,
                                            bool split_layers = false);
/// The same batches with their layers side by side.
[[nodiscard]] BatchLayout packed_layout(BatchLayout layout);

/// What is known of a batch's captured states.
struct BatchMarks {
  bool finite = true;        // every captured value
  bool noise_added = false;  // else whoever trains on them adds it
};

/// First bytes of a slot. Plain data, checked by read_batch_header before anything behind it is believed.
struct BatchHeader {
  uint64_t magic = 0;
  uint64_t layout_hash = 0;
  int64_t sequence = -1;
  int64_t used_tokens = 0;  // positions that are not padding
  uint32_t finite = 1;      // BatchMarks
  uint32_t noise_added = 0;
  uint64_t checksum = 0;  // of the fields above
};

void write_batch_header(std::span<std::byte> slot, const BatchLayout& layout, int64_t sequence, int64_t used_tokens,
                        const BatchMarks& marks);
/// Error{internal} saying what does not fit: magic, checksum, layout hash, or a field out of range.
[[nodiscard]] BatchHeader read_batch_header(std::span<const std::byte> slot, const BatchLayout& layout);

}  // namespace dflash
