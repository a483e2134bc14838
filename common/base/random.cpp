#include "common/base/random.h"

#include <cmath>
#include <numbers>

#include "common/base/philox_round.h"

namespace dflash {
namespace {

/// splitmix64's finaliser: spreads every input bit over the whole word.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::array<uint32_t, 2> halves(uint64_t word) {
  return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  const PhiloxWords block = philox_block({{key[0], key[1]}}, {{counter[0], counter[1], counter[2], counter[3]}});
  return std::to_array(block.word);
}

CounterRandom::CounterRandom(uint64_t seed, RandomPurpose purpose, uint64_t major, uint64_t minor)
    : key_(halves(mix(seed ^ mix(static_cast<uint64_t>(purpose))))), stream_(halves(mix(mix(major) ^ minor))) {}

uint64_t CounterRandom::bits(uint64_t index) const {
  const auto position = halves(index);
  const auto out = philox(key_, {position[0], position[1], stream_[0], stream_[1]});
  return (static_cast<uint64_t>(out[1]) << 32) | out[0];
}

double CounterRandom::normal(uint64_t index) const {
  const auto position = halves(index);
  const auto out = philox(key_, {position[0], position[1], stream_[0], stream_[1]});
  const double u = (static_cast<double>(out[0]) + 0.5) * 0x1p-32;  // in (0, 1): the logarithm is finite
  const double v = static_cast<double>(out[1]) * 0x1p-32;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace dflash
