#include "common/base/normal_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/base/error.h"
#include "common/base/vector_clones.h"

namespace dflash {
namespace {

constexpr size_t kBlocks = 32;  // worked on side by side
constexpr size_t kNumbers = 4 * kBlocks;

using Lanes = std::array<uint32_t, kBlocks>;

/// Natural logarithm of u in (0, 1] (polynomial of the Cephes library for log(1 + t), sqrt(1/2) <= 1 + t < sqrt(2)).
inline __attribute__((always_inline)) float log_of(float u) {
  const auto bits = std::bit_cast<uint32_t>(u);
  // Mantissa in [sqrt(1/2), sqrt(2)): 0x3f3504f3 is sqrt(1/2).
  const auto exponent = static_cast<int32_t>(bits - 0x3f3504f3U) >> 23;
  const float t = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0F;
  float p = 7.0376836292e-2F;
  p = p * t - 1.1514610310e-1F;
  p = p * t + 1.1676998740e-1F;
  p = p * t - 1.2420140846e-1F;
  p = p * t + 1.4249322787e-1F;
  p = p * t - 1.6668057665e-1F;
  p = p * t + 2.0000714765e-1F;
  p = p * t - 2.4999993993e-1F;
  p = p * t + 3.3333331174e-1F;
  return p * t * t * t - 0.5F * t * t + t + static_cast<float>(exponent) * 0.693147180559945F;
}

/// Two normal numbers from two words: the first gives the radius, the second the angle (two bits of quadrant, 24 of
/// the angle in it, counted from the middle of the quadrant).
inline __attribute__((always_inline)) void pair_of(uint32_t radius, uint32_t angle, float& a, float& b) {
  const float u = (static_cast<float>(static_cast<int32_t>(radius >> 8)) + 0.5F) * 0x1p-24F;
  const float r = std::sqrt(-2.0F * log_of(u)) * 0.70710678118654752F;
  const float x =
      (static_cast<float>(static_cast<int32_t>((angle << 2) >> 8)) * 0x1p-24F - 0.5F) * 1.57079632679489662F;
  const float z = x * x;
  const float sine = ((-1.9515295891e-4F * z + 8.3321608736e-3F) * z - 1.6666654611e-1F) * z * x + x;
  const float cosine =
      ((2.443315711809948e-5F * z - 1.388731625493765e-3F) * z + 4.166664568298827e-2F) * z * z - 0.5F * z + 1.0F;
  const float plus = r * (cosine + sine), minus = r * (cosine - sine);
  const uint32_t quadrant = angle >> 30;
  const float first = (quadrant & 1U) != 0 ? -plus : minus;  // cosine of the whole angle
  const float second = (quadrant & 1U) != 0 ? minus : plus;  // its sine
  const float sign = (quadrant & 2U) != 0 ? -1.0F : 1.0F;
  a = sign * first;
  b = sign * second;
}

/// philox() of random.h for kBlocks counters {first + lane, row, stream}.
inline __attribute__((always_inline)) void philox_lanes(std::array<uint32_t, 2> key, std::array<Lanes, 4>& c) {
  for (int round = 0; round < 10; ++round) {
    for (size_t lane = 0; lane < kBlocks; ++lane) {
      const uint64_t a = uint64_t{0xD2511F53U} * c[0][lane], b = uint64_t{0xCD9E8D57U} * c[2][lane];
      c[0][lane] = static_cast<uint32_t>(b >> 32) ^ c[1][lane] ^ key[0];
      c[2][lane] = static_cast<uint32_t>(a >> 32) ^ c[3][lane] ^ key[1];
      c[1][lane] = static_cast<uint32_t>(b);
      c[3][lane] = static_cast<uint32_t>(a);
    }
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
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
    pair_of(c[0][lane], c[1][lane], numbers[0][lane], numbers[1][lane]);
    pair_of(c[2][lane], c[3][lane], numbers[2][lane], numbers[3][lane]);
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
