// NormalNumbers: standard normal numbers from counters, many at once: the same (seed, purpose, major, row, index) gives
// the same number, however the numbers are asked for.
//
// One Philox block gives four numbers, by two Box-Muller pairs in fp32 with polynomials of our own (largest error about
// 1e-6): no library's logarithm or cosine, whose last bits differ from system to system. |number| < 5.9.
//
// CounterRandom (random.h) gives single ones, in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/base/random.h"

namespace dflash {

class NormalNumbers {
 public:
  NormalNumbers(uint64_t seed, RandomPurpose purpose, uint64_t major);

  /// Numbers `first`, first + 1, ... of `row`. `first` must be a multiple of 4.
  void fill(uint32_t row, uint32_t first, std::span<float> out) const;
  /// For who computes them elsewhere (normal_math.h).
  [[nodiscard]] const std::array<uint32_t, 2>& key() const { return key_; }
  [[nodiscard]] const std::array<uint32_t, 2>& stream() const { return stream_; }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 2> stream_;
};

}  // namespace dflash
