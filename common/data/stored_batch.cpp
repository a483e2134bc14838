#include "common/data/stored_batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "common/base/error.h"
#include "common/base/float_bits.h"
#include "common/base/format.h"
#include "common/data/small_floats.h"

namespace dflash {
namespace {

/// The states of one token of one layer, as floats.
class Row {
 public:
  Row(const BatchLayout& layout) : dtype_(layout.captured_dtype), values_(static_cast<size_t>(layout.hidden_size)) {}

  void read(const std::byte* from) {
    if (dtype_ == DType::f32) return static_cast<void>(std::memcpy(values_.data(), from, values_.size() * 4));
    for (size_t i = 0; i < values_.size(); ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, from + i * 2, 2);
      values_[i] = from_bf16(bits);
    }
  }
  void write(std::byte* to) const {
    if (dtype_ == DType::f32) return static_cast<void>(std::memcpy(to, values_.data(), values_.size() * 4));
    for (size_t i = 0; i < values_.size(); ++i) {
      const uint16_t bits = bf16_from(values_[i]);
      std::memcpy(to + i * 2, &bits, 2);
    }
  }
  [[nodiscard]] std::vector<float>& values() { return values_; }
  [[nodiscard]] float largest() const {
    float largest = 0;
    for (const float value : values_) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    return largest;
  }

 private:
  DType dtype_;
  std::vector<float> values_;
};

/// Where the parts of a stored batch lie.
struct StoredPlaces {
  size_t rows, row_elements, scales_offset, values_offset, value_bytes;

  StoredPlaces(const BatchLayout& layout, StateStorage storage)
      : rows(static_cast<size_t>(layout.pack_tokens) * layout.captured_layer_ids.size()),
        row_elements(static_cast<size_t>(layout.hidden_size)),
        scales_offset(layout.captured_offset),
        values_offset(scales_offset + (storage == StateStorage::float8 ? rows * sizeof(float) : 0)),
        value_bytes(storage == StateStorage::float8 ? 1 : 2) {}
  [[nodiscard]] size_t end() const { return values_offset + rows * row_elements * value_bytes; }
};

void check(const BatchLayout& layout, StateStorage storage, size_t slot_bytes, size_t stored_bytes) {
  const bool known = layout.captured_dtype == DType::f32 || layout.captured_dtype == DType::bf16;
  if (!layout.split_layers && known && slot_bytes >= layout.slot_bytes &&
      stored_bytes == stored_batch_bytes(layout, storage)) {
    return;
  }
  throw Error(ErrorKind::internal, format("no batch of {} bytes is stored in {}", slot_bytes, stored_bytes));
}

void add_loss(float value, float restored, float largest, StorageLoss& loss) {
  if (!std::isfinite(value)) return;
  const double error = std::fabs(double{value} - double{restored});
  loss.square_error_sum += error * error;
  loss.square_sum += double{value} * double{value};
  if (largest > 0) loss.largest = std::max(loss.largest, error / double{largest});
}

const std::array<float, 256>& e4m3_values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> all{};
    for (size_t code = 0; code < all.size(); ++code) all[code] = from_e4m3(static_cast<uint8_t>(code));
    return all;
  }();
  return values;
}

void store_bf16(const std::vector<float>& row, float largest, std::byte* to, StorageLoss& loss) {
  for (size_t i = 0; i < row.size(); ++i) {
    const uint16_t bits = bf16_from(row[i]);
    std::memcpy(to + 2 * i, &bits, 2);
    add_loss(row[i], from_bf16(bits), largest, loss);
  }
}

/// Returns the scale.
float store_e4m3(const std::vector<float>& row, float largest, std::byte* to, StorageLoss& loss) {
  const float scale = largest / kLargestE4m3;
  // So small a largest value that its scale is none: all become 0.
  const float inverse = scale > 0 && std::isfinite(1 / scale) ? 1 / scale : 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const uint8_t code = e4m3_from(row[i] * inverse);
    to[i] = std::byte{code};
    add_loss(row[i], e4m3_values()[code] * scale, largest, loss);
  }
  return scale;
}

}  // namespace

double StorageLoss::relative_rms() const {
  return square_sum > 0 ? std::sqrt(square_error_sum / square_sum) : 0;
}

size_t stored_batch_bytes(const BatchLayout& layout, StateStorage storage) {
  return StoredPlaces(layout, storage).end();
}

void store_batch(std::span<const std::byte> slot, const BatchLayout& layout, StateStorage storage,
                 std::span<std::byte> stored, StorageLoss& loss) {
  check(layout, storage, slot.size(), stored.size());
  const StoredPlaces places(layout, storage);
  std::memcpy(stored.data(), slot.data(), layout.captured_offset);
  const size_t row_bytes = places.row_elements * dtype_bytes(layout.captured_dtype);
  Row row(layout);
  for (size_t r = 0; r < places.rows; ++r) {
    row.read(slot.data() + layout.captured_offset + r * row_bytes);
    std::byte* const values = stored.data() + places.values_offset + r * places.row_elements * places.value_bytes;
    if (storage == StateStorage::bfloat16) {
      store_bf16(row.values(), row.largest(), values, loss);
      continue;
    }
    const float scale = store_e4m3(row.values(), row.largest(), values, loss);
    std::memcpy(stored.data() + places.scales_offset + r * sizeof(float), &scale, sizeof(float));
  }
}

void restore_batch(std::span<const std::byte> stored, const BatchLayout& layout, StateStorage storage,
                   std::span<std::byte> slot) {
  check(layout, storage, slot.size(), stored.size());
  const StoredPlaces places(layout, storage);
  std::memcpy(slot.data(), stored.data(), layout.captured_offset);
  const size_t row_bytes = places.row_elements * dtype_bytes(layout.captured_dtype);
  Row row(layout);
  for (size_t r = 0; r < places.rows; ++r) {
    const std::byte* const values = stored.data() + places.values_offset + r * places.row_elements * places.value_bytes;
    float scale = 1;
    if (storage == StateStorage::float8) {
      std::memcpy(&scale, stored.data() + places.scales_offset + r * sizeof(float), sizeof(float));
    }
    for (size_t i = 0; i < places.row_elements; ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, values + i * places.value_bytes, places.value_bytes);
      row.values()[i] = storage == StateStorage::float8 ? e4m3_values()[bits] * scale : from_bf16(bits);
    }
    row.write(slot.data() + layout.captured_offset + r * row_bytes);
  }
}

}  // namespace dflash
