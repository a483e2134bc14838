#include "common/data/rows/blank_text.h"

#include <algorithm>
#include <array>

namespace dflash {
namespace {

// U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000.
constexpr std::array<std::string_view, 19> kWideSpaces{
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83",
    "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a",
    "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

/// The bytes of the white space that `text` begins with; 0 when it begins with something else.
size_t space_bytes(std::string_view text) {
  const char first = text.front();
  if (first == ' ' || (first >= '\t' && first <= '\r') || (first >= '\x1c' && first <= '\x1f')) return 1;
  const auto wide =
      std::ranges::find_if(kWideSpaces, [text](std::string_view space) { return text.starts_with(space); });
  return wide == kWideSpaces.end() ? 0 : wide->size();
}

}  // namespace

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = space_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace dflash
