#include "common/base/normal_numbers.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/normal_math.h"
#include "common/base/vector_clones.h"

namespace dflash {
namespace {

constexpr size_t kBlocks = 32;  // worked on side by side
constexpr size_t kNumbers = 4 * kBlocks;

using Lanes = std::array<uint32_t, kBlocks>;

/// philox() of random.h for kBlocks counters {first + lane, row, stream}.
DFLASH_HOST_DEVICE void philox_lanes(std::array<uint32_t, 2> key, std::array<Lanes, 4>& c) {
  PhiloxKey round_key{{key[0], key[1]}};
  for (int round = 0; round < kPhiloxRounds; ++round, round_key = next_key(round_key)) {
    for (size_t lane = 0; lane < kBlocks; ++lane) {
      philox_round(round_key, c[0][lane], c[1][lane], c[2][lane], c[3][lane]);
    }
  }
}

DFLASH_VECTOR_CLONES
void fill_numbers(std::array<uint32_t, 2> key, std::array<uint32_t, 2> stream, uint32_t row, uint32_t first_block,
                  float* out) {
  std::array<Lanes, 4> c;
  for (size_t lane = 0; lane < kBlocks; ++lane) {
    c[0][lane] = first_block + static_cast<uint32_t>(lane);
    c[1][lane] = row;
    c[2][lane] = stream[0];
    c[3][lane] = stream[1];
  }
  philox_lanes(key, c);
  std::array<std::array<float, kBlocks>, 4> numbers;
  for (size_t lane = 0; lane < kBlocks; ++lane) {
    normal_pair(c[0][lane], c[1][lane], numbers[0][lane], numbers[1][lane]);
    normal_pair(c[2][lane], c[3][lane], numbers[2][lane], numbers[3][lane]);
  }
  for (size_t lane = 0; lane < kBlocks; ++lane) {
    for (size_t i = 0; i < 4; ++i) out[4 * lane + i] = numbers[i][lane];
  }
}

}  // namespace

NormalNumbers::NormalNumbers(uint64_t seed, RandomPurpose purpose, uint64_t major) {
  const CounterRandom random(seed, purpose, major);
  key_ = random.key();
  stream_ = random.stream();
}

void NormalNumbers::fill(uint32_t row, uint32_t first, std::span<float> out) const {
  if (first % 4 != 0) throw Error(ErrorKind::internal, "normal numbers begin at a multiple of 4");
  std::array<float, kNumbers> numbers;
  for (size_t done = 0; done < out.size(); done += kNumbers, first += kNumbers) {
    const size_t count = std::min(kNumbers, out.size() - done);
    float* const place = count == kNumbers ? out.data() + done : numbers.data();
    fill_numbers(key_, stream_, row, first / 4, place);
    if (count < kNumbers) std::copy_n(numbers.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

}  // namespace dflash
