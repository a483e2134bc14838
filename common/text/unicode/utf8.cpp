#include "common/text/unicode/utf8.h"

#include <simdjson.h>

#include <algorithm>

namespace dflash {
namespace {

/// What a character that begins with `lead` must hold in its second byte; first > last when no character begins so.
struct SecondByte {
  uint32_t bytes;
  unsigned char first;
  unsigned char last;
};

SecondByte second_byte(unsigned char lead) {
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead < 0xF0) {
    return {3, static_cast<unsigned char>(lead == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(lead == 0xED ? 0x9F : 0xBF)};
  }
  return {4, static_cast<unsigned char>(lead == 0xF0 ? 0x90 : 0x80),
          static_cast<unsigned char>(lead == 0xF4 ? 0x8F : 0xBF)};
}

/// How many bytes at the beginning of `bytes` belong together, and whether they are a whole character.
struct Part {
  size_t bytes;
  bool whole;
};

Part first_part(std::string_view bytes) {
  const auto byte = [bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (byte(0) < 0x80) return {1, true};
  const SecondByte second = second_byte(byte(0));
  if (second.first > second.last || bytes.size() < 2 || byte(1) < second.first || byte(1) > second.last) {
    return {1, false};
  }
  size_t length = 2;
  while (length < second.bytes && length < bytes.size() && !begins_character(bytes[length])) ++length;
  return {length, length == second.bytes};
}

}  // namespace

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
  } else {
    if (code_point < 0x10000) {
      put(0xE0U | (code_point >> 12U));
    } else {
      put(0xF0U | (code_point >> 18U));
      put(0x80U | ((code_point >> 12U) & 0x3FU));
    }
    put(0x80U | ((code_point >> 6U) & 0x3FU));
  }
  put(0x80U | (code_point & 0x3FU));
}

std::string to_utf8(char32_t code_point) {
  std::string text;
  append_utf8(text, code_point);
  return text;
}

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, begins_character));
}

bool is_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::string lossy_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  while (!bytes.empty()) {
    const Part part = first_part(bytes);
    text += part.whole ? bytes.substr(0, part.bytes) : kReplacementCharacter;
    bytes.remove_prefix(part.bytes);
  }
  return text;
}

}  // namespace dflash
