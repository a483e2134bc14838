#include "common/text/shown/visible_text.h"

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
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kHidden{{{0x00, 0x1F},
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

std::string escape_of(char32_t c) {
  const auto number = static_cast<uint32_t>(c);
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  if (number < 0x100) return format("\\x{:02x}", number);
  return number < 0x10000 ? format("\\u{:04x}", number) : format("\\U{:08x}", number);
}

/// As JSON writes it: above U+FFFF as a surrogate pair.
std::string json_escape_of(char32_t c) {
  const auto number = static_cast<uint32_t>(c);
  if (number < 0x10000) return format("\\u{:04x}", number);
  const uint32_t rest = number - 0x10000;
  return format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

std::string escaped(std::string_view text, std::string_view kept, std::string (*escape)(char32_t) = escape_of) {
  const std::string whole = lossy_utf8(text);
  std::string out;
  for (size_t i = 0; i < whole.size();) {
    const Character c = decode_utf8(whole.data() + i);
    const bool keep = c.code_point < 0x80 && kept.find(static_cast<char>(c.code_point)) != std::string_view::npos;
    if (!keep && is_hidden(c.code_point)) {
      out += escape(c.code_point);
    } else {
      out.append(whole, i, c.bytes);
    }
    i += c.bytes;
  }
  return out;
}

}  // namespace

std::string visible_text(std::string_view text) {
  return escaped(text, "\n\t");
}

std::string visible_line(std::string_view text) {
  return escaped(text, "");
}

std::string visible_json(std::string_view json) {
  return escaped(json, "", json_escape_of);
}

}  // namespace dflash
