#include "common/text/shown/visible_text.h"

#include "common/base/format.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

bool turns_writing(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

std::string escape_of(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  return c < 0x80 ? format("\\x{:02x}", static_cast<uint32_t>(c)) : format("\\u{:04x}", static_cast<uint32_t>(c));
}

std::string escaped(std::string_view text, std::string_view kept) {
  const std::string whole = lossy_utf8(text);
  std::string out;
  for (size_t i = 0; i < whole.size();) {
    const Character c = decode_utf8(whole.data() + i);
    const bool keep = c.code_point < 0x80 && kept.find(static_cast<char>(c.code_point)) != std::string_view::npos;
    if (!keep && (is_control(c.code_point) || turns_writing(c.code_point))) {
      out += escape_of(c.code_point);
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

}  // namespace dflash
