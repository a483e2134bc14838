// A hash for words of a few bytes: two multiplications for up to sixteen.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace dflash {

[[nodiscard]] inline uint64_t mix_words(uint64_t left, uint64_t right) {
  const auto product = static_cast<unsigned __int128>(left) * right;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

[[nodiscard]] inline uint64_t hash_word(std::string_view word) {
  constexpr uint64_t kFirst = 0x9E3779B97F4A7C15U;  // odd numbers without a pattern
  constexpr uint64_t kSecond = 0xD6E8FEB86659FD93U;
  const auto load = [&word](size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, word.data() + at, bytes);
    return value;
  };
  uint64_t seed = kFirst ^ word.size();
  size_t at = 0;
  for (; word.size() - at > 16; at += 16) seed = mix_words(load(at, 8) ^ seed, load(at + 8, 8) ^ kSecond);
  const size_t rest = word.size() - at;
  uint64_t left = 0;
  uint64_t right = 0;
  if (rest >= 8) {
    left = load(at, 8);
    right = load(word.size() - 8, 8);
  } else if (rest >= 4) {
    left = load(at, 4);
    right = load(word.size() - 4, 4);
  } else if (rest > 0) {
    left = (load(at, 1) << 16U) | (load(at + rest / 2, 1) << 8U) | load(word.size() - 1, 1);
  }
  return mix_words(mix_words(left ^ kSecond, right ^ seed), kFirst);
}

}  // namespace dflash
