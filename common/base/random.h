// Random numbers from counters: the same (seed, purpose, position) gives the same number, in any order, on any rank.
//
// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"). There is no generator object to
// share or to save: a resumed run asks for the same counters again.
#pragma once

#include <array>
#include <cstdint>

namespace dflash {

/// What a stream of numbers is for; streams of different purposes never meet.
enum class RandomPurpose : uint32_t {
  document_order = 1,  ///< major = epoch
  pack_order = 2,      ///< major = epoch, minor = window
  anchors = 3,         ///< major = sequence number
  weights = 4,         ///< major = hash of the parameter's name
  stage_delays = 5,    ///< of tests; major = process number
  device_delays = 6,   ///< of the simulated device; major = stream, index = operation
  state_noise = 7,     ///< major = sequence number; row = token, index = feature (normal_numbers.h)
  token_choice = 8,    ///< of sampled texts; major = row of the prompts, minor = turn, index = token of the answer
};

/// One raw Philox block: 4 x 32 random bits for a key and a counter.
[[nodiscard]] std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

/// The numbers of one stream, addressed by index. Cheap to make and to copy.
class CounterRandom {
 public:
  /// `major` and `minor` are mixed into the key together with seed and purpose.
  CounterRandom(uint64_t seed, RandomPurpose purpose, uint64_t major, uint64_t minor = 0);

  /// 64 uniform bits of position `index`.
  [[nodiscard]] uint64_t bits(uint64_t index) const;
  /// Standard normal of position `index` (Box-Muller in double precision).
  [[nodiscard]] double normal(uint64_t index) const;

  /// Key of its Philox blocks, and the upper half of their counters: for who computes many at once.
  [[nodiscard]] std::array<uint32_t, 2> key() const { return key_; }
  [[nodiscard]] std::array<uint32_t, 2> stream() const { return stream_; }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 2> stream_;
};

}  // namespace dflash
