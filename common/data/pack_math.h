// What one thread of the pack kernel does (pack_kernel.h), for the GPU and, in tests, for the host: a few words of one
// token's row copied side by side, looked at, and given their noise. See host_device.h.
//
// The bits are those of pack_hidden_states_from_captured.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/float_bits.h"
#include "common/base/normal_math.h"

namespace dflash {

/// Captured layers [L, T, H] -> packed [T, L*H]. Plain pointers to memory of the device that does it.
struct PackJob {
  const std::byte* captured = nullptr;
  std::byte* packed = nullptr;     // may be `captured` when there is one layer
  uint32_t* not_finite = nullptr;  // set to 1 when a captured value is not finite
  int64_t tokens = 0;              // T
  uint32_t layers = 0;             // L
  uint32_t hidden = 0;             // H
  bool bf16 = false;               // else fp32
  float strength = 0;              // of the noise; 0: none
  NumberStream noise{};
  [[nodiscard]] DFLASH_HOST_DEVICE uint32_t width() const { return layers * hidden; }
};

DFLASH_HOST_DEVICE bool is_finite_word(uint32_t word) {
  return (word & 0x7f800000U) != 0x7f800000U;
}
DFLASH_HOST_DEVICE bool is_finite_word(uint16_t word) {
  return (word & 0x7f80U) != 0x7f80U;
}

/// value + strength * number in fp32, rounded once to nearest even.
DFLASH_HOST_DEVICE uint32_t with_noise(uint32_t word, float number, float strength) {
  return bits_of(float_of(word) + strength * number);
}
DFLASH_HOST_DEVICE uint16_t with_noise(uint16_t word, float number, float strength) {
  return bf16_from(from_bf16(word) + strength * number);
}

/// Words of one piece: 16 bytes, moved at once where rows are aligned to them.
template <typename Word>
struct alignas(16) PackPiece {
  static constexpr uint32_t kWords = 16 / sizeof(Word);
  Word word[kWords];
};

template <typename Word>
DFLASH_HOST_DEVICE uint32_t pieces_of_row(const PackJob& job) {
  return (job.width() + PackPiece<Word>::kWords - 1) / PackPiece<Word>::kWords;
}
/// Whether every layer's row is a whole number of pieces, at multiples of 16 bytes.
template <typename Word>
DFLASH_HOST_DEVICE bool has_whole_pieces(const PackJob& job) {
  const auto address = reinterpret_cast<uintptr_t>(job.captured) | reinterpret_cast<uintptr_t>(job.packed);
  return job.hidden % PackPiece<Word>::kWords == 0 && address % 16 == 0;
}

template <typename Word>
DFLASH_HOST_DEVICE const Word* captured_word(const PackJob& job, int64_t token, uint32_t feature) {
  const uint32_t layer = feature / job.hidden;
  return reinterpret_cast<const Word*>(job.captured) + (layer * job.tokens + token) * job.hidden +
         (feature - layer * job.hidden);
}

/// Piece number `piece` of the row of `token`. False when a captured value of it is not finite.
template <typename Word>
DFLASH_HOST_DEVICE bool pack_piece(const PackJob& job, bool whole, int64_t token, uint32_t piece) {
  constexpr uint32_t kWords = PackPiece<Word>::kWords;
  const uint32_t first = piece * kWords, left = job.width() - first, count = left < kWords ? left : kWords;
  Word* const to = reinterpret_cast<Word*>(job.packed) + token * job.width() + first;
  PackPiece<Word> values{};
  if (whole) {
    values = *reinterpret_cast<const PackPiece<Word>*>(captured_word<Word>(job, token, first));
  } else {
    for (uint32_t i = 0; i < count; ++i) values.word[i] = *captured_word<Word>(job, token, first + i);
  }
  bool finite = true;
  for (uint32_t i = 0; i < kWords; ++i) finite = finite && is_finite_word(values.word[i]);
  if (job.strength != 0) {
    for (uint32_t quad = 0; quad < kWords / 4; ++quad) {
      float number[4];
      normal_quad(job.noise, static_cast<uint32_t>(token), first / 4 + quad, number);
      for (uint32_t i = 0; i < 4; ++i) {
        values.word[4 * quad + i] = with_noise(values.word[4 * quad + i], number[i], job.strength);
      }
    }
  }
  if (whole) {
    *reinterpret_cast<PackPiece<Word>*>(to) = values;
  } else {
    for (uint32_t i = 0; i < count; ++i) to[i] = values.word[i];
  }
  return finite;
}

}  // namespace dflash
