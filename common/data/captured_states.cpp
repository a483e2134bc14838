#include "common/data/captured_states.h"

#include <algorithm>
#include <array>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/normal_numbers.h"
#include "common/data/state_rows.h"

namespace dflash {
namespace {

/// From here on the bytes pass the caches by, as memcpy lets large copies do: nobody here reads them again.
constexpr size_t kStreamedBytes = size_t{4} << 20;

void check_sizes(size_t from_bytes, size_t to_bytes, const BatchLayout& layout) {
  const size_t expected = layout.captured_bytes();
  if (from_bytes == expected && to_bytes == expected) return;
  throw Error(ErrorKind::internal,
              format("captured states of {} and {} bytes where the layout says {}", from_bytes, to_bytes, expected));
}

/// Adds noise to rows of fp32 or bf16 numbers, piece by piece.
class NoiseAdder {
 public:
  NoiseAdder(const BatchLayout& layout, const StateNoise& noise)
      : dtype_(layout.captured_dtype),
        strength_(static_cast<float>(noise.strength)),
        numbers_(noise.seed, RandomPurpose::state_noise, static_cast<uint64_t>(noise.sequence)) {}

  /// `count` values of token `token` from feature `first` on. `from` may be `to`.
  void add(const std::byte* from, int64_t token, int64_t first, int64_t count, std::byte* to) const {
    const size_t element_bytes = dtype_bytes(dtype_);
    // Numbers come in fours from a multiple of four.
    int64_t skip = first % 4;
    std::array<float, kPiece> numbers;
    for (int64_t done = 0; done < count; skip = 0) {
      const int64_t piece = std::min<int64_t>(count - done, kPiece - skip);
      numbers_.fill(static_cast<uint32_t>(token), static_cast<uint32_t>(first + done - skip),
                    std::span(numbers).first(static_cast<size_t>(skip + piece)));
      const size_t offset = static_cast<size_t>(done) * element_bytes;
      const float* own = numbers.data() + skip;
      if (dtype_ == DType::f32) {
        add_scaled_f32(from + offset, own, strength_, piece, to + offset);
      } else {
        add_scaled_bf16(from + offset, own, strength_, piece, to + offset);
      }
      done += piece;
    }
  }

 private:
  static constexpr int64_t kPiece = 1024;  // numbers; a multiple of 4
  DType dtype_;
  float strength_;
  NormalNumbers numbers_;
};

}  // namespace

bool pack_hidden_states_from_captured(std::span<const std::byte> captured, const BatchLayout& layout,
                                      const StateNoise& noise, std::span<std::byte> packed) {
  check_sizes(captured.size(), packed.size(), layout);
  const auto layers = static_cast<int64_t>(layout.captured_layer_ids.size());
  const size_t row_bytes = static_cast<size_t>(layout.hidden_size) * dtype_bytes(layout.captured_dtype);
  const size_t layer_bytes = row_bytes * static_cast<size_t>(layout.pack_tokens);
  const NoiseAdder adder(layout, noise);
  StateRows rows(layout.captured_dtype, packed.size() >= kStreamedBytes && noise.strength == 0);
  std::byte* to = packed.data();
  for (int64_t token = 0; token < layout.pack_tokens; ++token) {
    const std::byte* from = captured.data() + static_cast<size_t>(token) * row_bytes;
    for (int64_t layer = 0; layer < layers; ++layer, from += layer_bytes, to += row_bytes) {
      if (noise.strength == 0) {
        rows.copy(from, row_bytes, to);
      } else {
        rows.look(from, row_bytes);
        adder.add(from, token, layer * layout.hidden_size, layout.hidden_size, to);
      }
    }
  }
  return rows.finish();
}

bool copy_captured_layers(std::span<const std::byte> captured, const BatchLayout& layout, std::span<std::byte> copy) {
  check_sizes(captured.size(), copy.size(), layout);
  StateRows rows(layout.captured_dtype, copy.size() >= kStreamedBytes);
  rows.copy(captured.data(), captured.size(), copy.data());
  return rows.finish();
}

void add_noise_to_packed(std::span<std::byte> packed, const BatchLayout& layout, const StateNoise& noise) {
  check_sizes(packed.size(), packed.size(), layout);
  if (noise.strength == 0) return;
  const NoiseAdder adder(layout, noise);
  const int64_t width = layout.captured_width();
  const size_t row_bytes = static_cast<size_t>(width) * dtype_bytes(layout.captured_dtype);
  for (int64_t token = 0; token < layout.pack_tokens; ++token) {
    std::byte* row = packed.data() + static_cast<size_t>(token) * row_bytes;
    adder.add(row, token, 0, width, row);
  }
}

}  // namespace dflash
