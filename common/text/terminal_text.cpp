#include "common/text/terminal_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/format.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

/// Controls, and invisible characters that change how their neighbours are shown. The joiners U+200C and U+200D stay:
/// scripts and emoji need them.
bool is_hidden(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 10> kHidden{{{0x00, 0x08},
                                                                   {0x0B, 0x1F},
                                                                   {0x7F, 0x9F},
                                                                   {0x61C, 0x61C},
                                                                   {0x200B, 0x200B},
                                                                   {0x200E, 0x200F},
                                                                   {0x2028, 0x202E},
                                                                   {0x2060, 0x206F},
                                                                   {0xFEFF, 0xFEFF},
                                                                   {0xE0000, 0xE007F}}};
  return std::ranges::any_of(kHidden, [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::string spelled_out(char32_t c) {
  const auto number = static_cast<uint32_t>(c);
  if (c == '\r') return "\\r";
  if (number < 0x100) return format("\\x{:02x}", number);
  return number < 0x10000 ? format("\\u{:04x}", number) : format("\\U{:08x}", number);
}

}  // namespace

std::string terminal_text(std::string_view bytes) {
  const std::string text = lossy_utf8(bytes);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_utf8(text.data() + at);
    if (is_hidden(character.code_point)) {
      out += spelled_out(character.code_point);
    } else {
      out.append(text, at, character.bytes);
    }
    at += character.bytes;
  }
  return out;
}

}  // namespace dflash
