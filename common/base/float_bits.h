// The bits of floats, for the host and the GPU: float32 as a word, and bfloat16 rounded to nearest even.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/base/host_device.h"

namespace dflash {

DFLASH_HOST_DEVICE uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
DFLASH_HOST_DEVICE float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// To nearest, ties to even; a NaN stays one, also when its low bits are cut.
DFLASH_HOST_DEVICE uint16_t bf16_from(float value) {
  const uint32_t bits = bits_of(value);
  const uint32_t rounded = value == value ? bits + 0x7fffU + ((bits >> 16) & 1U) : bits | 0x400000U;
  return static_cast<uint16_t>(rounded >> 16);
}
DFLASH_HOST_DEVICE float from_bf16(uint16_t bits) {
  return float_of(static_cast<uint32_t>(bits) << 16);
}

}  // namespace dflash
