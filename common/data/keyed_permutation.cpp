#include "common/data/keyed_permutation.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/base/philox_round.h"
#include "common/base/vector_clones.h"

namespace dflash {
namespace {

constexpr int kRounds = 4;
constexpr size_t kLanes = 64;  // positions that are worked on side by side

using Lanes = std::array<uint32_t, kLanes>;

/// One walk of the network in every lane. What CounterRandom::bits gives of (round, right), its lower half: no half of
/// a value has more bits.
DFLASH_VECTOR_CLONES
void walk_lanes(std::array<uint32_t, 2> key, std::array<uint32_t, 2> stream, uint32_t mask, Lanes& left, Lanes& right) {
  for (uint32_t round = 0; round < kRounds; ++round) {
    Lanes c0 = right, c1, c2, c3;
    c1.fill(round);
    c2.fill(stream[0]);
    c3.fill(stream[1]);
    PhiloxKey round_key{{key[0], key[1]}};
    for (int i = 0; i < kPhiloxRounds; ++i, round_key = next_key(round_key)) {
      for (size_t lane = 0; lane < kLanes; ++lane) philox_round(round_key, c0[lane], c1[lane], c2[lane], c3[lane]);
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t mixed = left[lane] ^ (c0[lane] & mask);
      left[lane] = right[lane];
      right[lane] = mixed;
    }
  }
}

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

/// Each lane walks with one position until its value is an element, then takes the next position.
void KeyedPermutation::fill(uint64_t first, std::span<int64_t> elements) const {
  const auto mask = static_cast<uint32_t>((uint64_t{1} << half_bits_) - 1);
  Lanes left{}, right{};
  std::array<size_t, kLanes> places{};
  size_t next = 0, busy = 0;
  const auto load = [&](size_t lane) {
    left[lane] = static_cast<uint32_t>((first + next) >> half_bits_);
    right[lane] = static_cast<uint32_t>(first + next) & mask;
    places[lane] = next++;
  };
  while (busy < kLanes && next < elements.size()) load(busy++);
  while (busy > 0) {
    walk_lanes(key_.key(), key_.stream(), mask, left, right);
    for (size_t lane = busy; lane-- > 0;) {
      const uint64_t value = uint64_t{left[lane]} << half_bits_ | right[lane];
      if (value >= size_) continue;
      elements[places[lane]] = static_cast<int64_t>(value);
      if (next < elements.size()) {
        load(lane);
      } else {
        --busy;  // the last lane, which is still walking, moves here
        left[lane] = left[busy];
        right[lane] = right[busy];
        places[lane] = places[busy];
      }
    }
  }
}

}  // namespace dflash
