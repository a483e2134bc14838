#include "common/data/keyed_permutation.h"

#include <algorithm>
#include <bit>

namespace dflash {
namespace {

constexpr int kRounds = 4;

}  // namespace

KeyedPermutation::KeyedPermutation(uint64_t size, const CounterRandom& key)
    : size_(size), half_bits_(std::max(1, (static_cast<int>(std::bit_width(size - 1)) + 1) / 2)), key_(key) {}

uint64_t KeyedPermutation::operator()(uint64_t position) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t value = position;
  do {
    uint64_t left = value >> half_bits_, right = value & mask;
    for (uint64_t round = 0; round < kRounds; ++round) {
      const uint64_t mixed = left ^ (key_.bits(round << 32 | right) & mask);
      left = right;
      right = mixed;
    }
    value = left << half_bits_ | right;
  } while (value >= size_);
  return value;
}

}  // namespace dflash
