// KvCache: keys and values of one sequence, for every layer, after norm and rotation. Preallocated; rows can be
// cropped.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dflash {

class KvCache {
 public:
  /// Views of the rows in use of one layer, [n_kv, length, d].
  struct Layer {
    at::Tensor keys;
    at::Tensor values;
  };

  /// Room for `capacity` rows in each of `layers` layers.
  KvCache(int64_t layers, int64_t kv_heads, int64_t capacity, int64_t head_dim, at::ScalarType type);

  /// Writes rows (k, v: [n, n_kv, d]) behind the first `length()` ones of this layer
  /// and returns all of its rows; they count once `advance` is called.
  [[nodiscard]] Layer append(int64_t layer, const at::Tensor& k, const at::Tensor& v);
  /// After every layer has appended the same number of rows.
  void advance(int64_t rows) { length_ += rows; }
  /// Forgets all rows from `length` on.
  void crop(int64_t length) { length_ = length; }
  [[nodiscard]] int64_t length() const { return length_; }

 private:
  at::Tensor keys_;    // [layers, n_kv, capacity, d]
  at::Tensor values_;  // [layers, n_kv, capacity, d]
  int64_t length_ = 0;
};

/// New rows of one sequence in a forward over several: they go behind the rows its cache holds.
struct CachedRows {
  KvCache* cache = nullptr;
  int64_t rows = 0;
};

/// Positions of the new rows of all sequences, one behind the other: [sum of rows] int64.
[[nodiscard]] at::Tensor next_positions(std::span<const CachedRows> sequences);

}  // namespace dflash
