// The arithmetic of NormalNumbers (normal_numbers.h), for the host and the GPU: what four standard normal numbers
// come of a Philox block. See host_device.h for how the files that include this are compiled.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/base/float_bits.h"
#include "common/base/host_device.h"
#include "common/base/philox_round.h"

namespace dflash {

/// Natural logarithm of u in (0, 1] (polynomial of the Cephes library for log(1 + t), sqrt(1/2) <= 1 + t < sqrt(2)).
DFLASH_HOST_DEVICE float log_of(float u) {
  const uint32_t bits = bits_of(u);
  // Mantissa in [sqrt(1/2), sqrt(2)): 0x3f3504f3 is sqrt(1/2).
  const int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3U) >> 23;
  const float t = float_of(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0F;
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
DFLASH_HOST_DEVICE void normal_pair(uint32_t radius, uint32_t angle, float& a, float& b) {
  const float u = (static_cast<float>(static_cast<int32_t>(radius >> 8)) + 0.5F) * 0x1p-24F;
  const float r = sqrtf(-2.0F * log_of(u)) * 0.70710678118654752F;
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

/// A stream of numbers: the key of its blocks, and the upper half of their counters.
struct NumberStream {
  uint32_t key[2];
  uint32_t stream[2];
};

/// Numbers 4 * block ... 4 * block + 3 of `row`.
DFLASH_HOST_DEVICE void normal_quad(const NumberStream& numbers, uint32_t row, uint32_t block, float* out) {
  const PhiloxWords c =
      philox_block({{numbers.key[0], numbers.key[1]}}, {{block, row, numbers.stream[0], numbers.stream[1]}});
  normal_pair(c.word[0], c.word[1], out[0], out[1]);
  normal_pair(c.word[2], c.word[3], out[2], out[3]);
}

}  // namespace dflash
