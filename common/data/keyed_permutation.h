// A permutation of 0..n-1 that is computed, not stored: position -> element, from a key.
//
// A four-round Feistel network over the smallest even number of bits that holds n, walking the cycle until the value
// falls below n (fewer than 4 rounds of walking on average).
#pragma once

#include <cstdint>
#include <span>

#include "common/base/random.h"

namespace dflash {

class KeyedPermutation {
 public:
  KeyedPermutation(uint64_t size, const CounterRandom& key);
  /// The element at `position` (both in [0, size)).
  [[nodiscard]] uint64_t operator()(uint64_t position) const;
  /// The elements at first, first + 1, ..., all of them below size: the same ones, many times as fast.
  void fill(uint64_t first, std::span<int64_t> elements) const;

 private:
  uint64_t size_;
  int half_bits_;
  CounterRandom key_;
};

}  // namespace dflash
