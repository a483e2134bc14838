// UTF-8: single characters, validity, and what stands in place of broken bytes.
//
// decode_utf8 and its kin are for text that is_utf8() has passed: they look at no byte twice.
//
// Threading: functions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dflash {

struct Character {
  char32_t code_point;
  uint32_t bytes;
};

/// Bytes of the character that begins with `lead`.
[[nodiscard]] inline uint32_t utf8_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

/// True for a byte that begins a character.
[[nodiscard]] inline bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The character at `at`, which must lie at the beginning of one.
[[nodiscard]] inline Character decode_utf8(const char* at) {
  const auto byte = [at](int i) { return static_cast<char32_t>(static_cast<unsigned char>(at[i])); };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {((lead & 0x1FU) << 6U) | (byte(1) & 0x3FU), 2};
  if (lead < 0xF0) return {((lead & 0xFU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU), 3};
  return {((lead & 7U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) | (byte(3) & 0x3FU), 4};
}

/// The character that ends just before byte `end` of `text`; end > 0.
[[nodiscard]] inline Character decode_utf8_before(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (!begins_character(text[begin])) --begin;
  return decode_utf8(text.data() + begin);
}

void append_utf8(std::string& text, char32_t code_point);
[[nodiscard]] std::string to_utf8(char32_t code_point);

[[nodiscard]] size_t count_characters(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);

/// `bytes` as text: U+FFFD for every longest beginning of a character that is not whole (Unicode 16, section 3.9,
/// "U+FFFD substitution of maximal subparts").
[[nodiscard]] std::string lossy_utf8(std::string_view bytes);

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace dflash
