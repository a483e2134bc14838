#include "common/text/chat_template/values/letter_case.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

struct SpecialCase {
  char32_t code_point;
  std::string_view upper;
  std::string_view title;
};

constexpr auto kSpecialCases = std::to_array<SpecialCase>({
#include "common/text/chat_template/values/special_case.inc"
});

constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kFinalSigma = 0x3C2;
constexpr char32_t kDottedCapitalI = 0x130;
constexpr char32_t kCombiningDotAbove = 0x307;

utf8proc_int32_t number(char32_t code_point) {
  return static_cast<utf8proc_int32_t>(code_point);
}
char32_t simple_upper(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(number(c)));
}
char32_t simple_lower(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(number(c)));
}

const SpecialCase* special_case(char32_t code_point) {
  if (code_point < 0xDF) return nullptr;
  const auto place = std::ranges::lower_bound(kSpecialCases, code_point, {}, &SpecialCase::code_point);
  return place != kSpecialCases.end() && place->code_point == code_point ? &*place : nullptr;
}

/// Letters with case that have no other case: ordinal indicators and enclosed capitals.
bool is_cased_without_pair(char32_t c) {
  return c == 0xAA || c == 0xBA || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
         (c >= 0x1F170 && c <= 0x1F189);
}

bool is_cased(char32_t c) {
  const auto category = utf8proc_category(number(c));
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT ||
         simple_upper(c) != c || simple_lower(c) != c || is_cased_without_pair(c);
}

/// Unicode's Case_Ignorable: marks, modifiers, formats, and the punctuation that stands inside words.
bool is_case_ignorable(char32_t c) {
  switch (utf8proc_category(number(c))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::u32string_view(
                 U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A")
                 .find(c) != std::u32string_view::npos;
  }
}

/// A sigma is final when a cased letter stands before it and none behind it, ignorable characters skipped.
bool is_final_sigma(std::string_view text, size_t at) {
  size_t before = at;
  while (before > 0) {
    const Character character = decode_utf8_before(text, before);
    if (!is_case_ignorable(character.code_point)) break;
    before -= character.bytes;
  }
  if (before == 0 || !is_cased(decode_utf8_before(text, before).code_point)) return false;
  for (size_t after = at + 2; after < text.size();) {
    const Character character = decode_utf8(text.data() + after);
    if (!is_case_ignorable(character.code_point)) return !is_cased(character.code_point);
    after += character.bytes;
  }
  return true;
}

void append_upper(std::string& result, char32_t c) {
  if (const SpecialCase* special = special_case(c)) {
    result += special->upper;
  } else {
    append_utf8(result, simple_upper(c));
  }
}

void append_title(std::string& result, char32_t c) {
  if (const SpecialCase* special = special_case(c)) {
    result += special->title;
  } else {
    append_utf8(result, static_cast<char32_t>(utf8proc_totitle(number(c))));
  }
}

void append_lower(std::string& result, char32_t c, std::string_view text, size_t at) {
  if (c == kDottedCapitalI) {
    result += 'i';
    append_utf8(result, kCombiningDotAbove);
  } else if (c == kCapitalSigma && is_final_sigma(text, at)) {
    append_utf8(result, kFinalSigma);
  } else {
    append_utf8(result, simple_lower(c));
  }
}

/// Calls visit(code point, byte offset) for each character.
template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_utf8(text.data() + at);
    visit(character.code_point, at);
    at += character.bytes;
  }
}

bool is_small(char32_t c) {
  return utf8proc_category(number(c)) == UTF8PROC_CATEGORY_LL || c == 0xAA || c == 0xBA ||
         (simple_upper(c) != c && utf8proc_category(number(c)) != UTF8PROC_CATEGORY_LT);
}
bool is_capital(char32_t c) {
  return utf8proc_category(number(c)) == UTF8PROC_CATEGORY_LU ||
         (simple_lower(c) != c && utf8proc_category(number(c)) != UTF8PROC_CATEGORY_LT);
}

bool has_only_case(std::string_view text, bool upper) {
  bool found = false;
  bool other = false;
  for_each_character(text, [&](char32_t c, size_t) {
    const bool capital = is_capital(c);
    const bool small = is_small(c);
    const bool title = utf8proc_category(number(c)) == UTF8PROC_CATEGORY_LT;
    if (upper ? (small || title) : (capital || title)) other = true;
    if (upper ? capital : small) found = true;
  });
  return found && !other;
}

}  // namespace

std::string upper_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t c, size_t) { append_upper(result, c); });
  return result;
}

std::string lower_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t c, size_t at) { append_lower(result, c, text, at); });
  return result;
}

std::string title_case(std::string_view text) {
  std::string result;
  bool inside_word = false;
  for_each_character(text, [&](char32_t c, size_t at) {
    if (inside_word) {
      append_lower(result, c, text, at);
    } else {
      append_title(result, c);
    }
    inside_word = is_cased(c);
  });
  return result;
}

std::string capitalized(std::string_view text) {
  std::string result;
  for_each_character(text, [&](char32_t c, size_t at) {
    if (at == 0) {
      append_title(result, c);
    } else {
      append_lower(result, c, text, at);
    }
  });
  return result;
}

std::string swapped_case(std::string_view text) {
  std::string result;
  for_each_character(text, [&](char32_t c, size_t at) {
    if (is_capital(c)) {
      append_lower(result, c, text, at);
    } else if (is_small(c)) {
      append_upper(result, c);
    } else {
      append_utf8(result, c);
    }
  });
  return result;
}

bool is_upper_case(std::string_view text) {
  return has_only_case(text, true);
}

bool is_lower_case(std::string_view text) {
  return has_only_case(text, false);
}

}  // namespace dflash::jinja
