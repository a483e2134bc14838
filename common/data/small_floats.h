// float32 to FP8 E4M3 and back, rounded to nearest even. (bfloat16: common/base/float_bits.h)
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace dflash {

constexpr float kLargestE4m3 = 448;

/// FP8 E4M3 (no infinities, exponent bias 7). What is larger than kLargestE4m3 becomes that; what is not finite, NaN.
[[nodiscard]] inline uint8_t e4m3_from(float value) {
  constexpr float kLeastNormal = 0x1p-6F, kSubnormalsPerOne = 0x1p9F;
  constexpr uint8_t kNan = 0x7f;
  const auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80 : 0);
  if (!std::isfinite(value)) return sign | kNan;
  const float size = std::fmin(std::fabs(value), kLargestE4m3);
  if (size < kLeastNormal) return sign | static_cast<uint8_t>(std::nearbyint(size * kSubnormalsPerOne));
  const uint32_t bits = std::bit_cast<uint32_t>(size);
  const uint32_t rounded = bits + 0x7ffffU + ((bits >> 20) & 1U);
  const uint32_t exponent = (rounded >> 23) - 127 + 7;
  return sign | static_cast<uint8_t>(exponent << 3 | ((rounded >> 20) & 7U));
}
[[nodiscard]] inline float from_e4m3(uint8_t code) {
  const float sign = (code & 0x80) != 0 ? -1.0F : 1.0F;
  const int exponent = (code >> 3) & 0xf, mantissa = code & 7;
  if (exponent == 0xf && mantissa == 7) return std::bit_cast<float>(0x7fc00000U);
  if (exponent == 0) return sign * static_cast<float>(mantissa) * 0x1p-9F;
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

}  // namespace dflash
