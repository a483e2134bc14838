#include "common/text/tokenizer/post_processors/trim_offsets.h"

#include <algorithm>

#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr char32_t kSpaceByte = 0x120;  // a space in the byte alphabet

bool is_blank(char32_t code_point) {
  return code_point == kSpaceByte || is_space(code_point);
}

uint32_t leading_blanks(std::string_view token) {
  uint32_t blanks = 0;
  for (size_t i = 0; i < token.size(); ++blanks) {
    const Character character = decode_utf8(token.data() + i);
    if (!is_blank(character.code_point)) break;
    i += character.bytes;
  }
  return blanks;
}

uint32_t trailing_blanks(std::string_view token) {
  uint32_t blanks = 0;
  for (size_t end = token.size(); end > 0; ++blanks) {
    const Character character = decode_utf8_before(token, end);
    if (!is_blank(character.code_point)) break;
    end -= character.bytes;
  }
  return blanks;
}

}  // namespace

void trim_offsets(Encoding& encoding, bool adds_space) {
  for (size_t i = 0; i < encoding.offsets.size(); ++i) {
    TokenOffset& offset = encoding.offsets[i];
    uint32_t leading = leading_blanks(encoding.tokens[i]);
    const uint32_t trailing = trailing_blanks(encoding.tokens[i]);
    if (leading > 0) {
      if (adds_space && leading == 1 && (i == 0 || offset.begin == 0)) leading = 0;
      offset.begin = std::min(offset.begin + leading, offset.end);
    }
    if (trailing > 0 && offset.end >= trailing) offset.end = std::max(offset.end - trailing, offset.begin);
  }
}

}  // namespace dflash
