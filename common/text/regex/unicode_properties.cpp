#include "common/text/regex/unicode_properties.h"

#include <oniguruma.h>

#include <array>
#include <cctype>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/unicode/character_class.h"

namespace dflash {
namespace {

struct Property {
  const char* name;        // as registered
  const char* short_name;  // as patterns spell it: lower case, no blanks, '_' or '-'
  const char* long_name;
  uint16_t bits;
};

namespace cc = CharacterClass;
constexpr auto kProperties = std::to_array<Property>({
    {"dflash_l", "l", "letter", cc::kLetter},
    {"dflash_lu", "lu", "uppercaseletter", cc::kUpper},
    {"dflash_ll", "ll", "lowercaseletter", cc::kLower},
    {"dflash_lt", "lt", "titlecaseletter", cc::kTitle},
    {"dflash_lm", "lm", "modifierletter", cc::kModifierLetter},
    {"dflash_lo", "lo", "otherletter", cc::kOtherLetter},
    {"dflash_m", "m", "mark", cc::kMark},
    {"dflash_mn", "mn", "nonspacingmark", cc::kNonspacingMark},
    {"dflash_n", "n", "number", cc::kNumber},
    {"dflash_nd", "nd", "decimalnumber", cc::kDecimalNumber},
    {"dflash_p", "p", "punctuation", cc::kPunctuation},
    {"dflash_s", "s", "symbol", cc::kSymbol},
    {"dflash_w", "", "", cc::kWord},  // no property of Unicode: what \w stands for
});

/// Inside brackets \w leaves these out: superscripts and fractions of Latin-1, by a quirk of Oniguruma.
constexpr auto kWordsInBracketsLack = std::to_array<char32_t>({0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE});
constexpr const char* kWordInBrackets = "dflash_wb";

/// Oniguruma keeps the pointer for as long as the process lives: so the lists do too.
void define(const char* name, const std::vector<CharacterClasses::Range>& ranges) {
  static std::vector<std::unique_ptr<std::vector<OnigCodePoint>>> lists;
  auto& list = *lists.emplace_back(std::make_unique<std::vector<OnigCodePoint>>());
  list.push_back(static_cast<OnigCodePoint>(ranges.size()));
  for (const auto& range : ranges) {
    list.push_back(range.first);
    list.push_back(range.last);
  }
  if (onig_unicode_define_user_property(name, list.data()) != ONIG_NORMAL) {
    throw Error(ErrorKind::internal, format("Oniguruma does not take the property {}", name));
  }
}

std::vector<CharacterClasses::Range> without(const std::vector<CharacterClasses::Range>& ranges,
                                             std::span<const char32_t> excluded) {
  std::vector<CharacterClasses::Range> out;
  for (CharacterClasses::Range range : ranges) {
    for (const char32_t code_point : excluded) {
      if (code_point < range.first || code_point > range.last) continue;
      if (code_point > range.first) out.push_back({range.first, code_point - 1});
      range.first = code_point + 1;
    }
    if (range.first <= range.last) out.push_back(range);
  }
  return out;
}

void define_all() {
  const CharacterClasses& classes = CharacterClasses::get();
  for (const Property& property : kProperties) define(property.name, classes.ranges_of(property.bits));
  define(kWordInBrackets, without(classes.ranges_of(cc::kWord), kWordsInBracketsLack));
}

const Property* property_named(std::string_view spelled) {
  std::string name;
  for (const char byte : spelled) {
    if (byte != ' ' && byte != '_' && byte != '-')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  }
  for (const Property& property : kProperties) {
    if (!name.empty() && (name == property.long_name || name == property.short_name)) return &property;
  }
  return nullptr;
}

std::string braced(char p, bool negated, const char* name) {
  return format("\\{}{{{}{}}}", p, negated ? "^" : "", name);
}

/// Rewrites the escape "\p{...}" at `at`; nothing when it is no such escape, or its property stays Oniguruma's.
struct Rewritten {
  std::string text;
  size_t bytes = 0;  // of the pattern
};
Rewritten rewrite_property(std::string_view pattern, size_t at) {
  if (at + 2 >= pattern.size() || pattern[at + 2] != '{') return {};
  const size_t close = pattern.find('}', at);
  if (close == std::string_view::npos) return {};
  std::string_view name = pattern.substr(at + 3, close - at - 3);
  const bool negated = name.starts_with('^');
  if (negated) name.remove_prefix(1);
  const Property* property = property_named(name);
  if (property == nullptr) return {};
  return {braced(pattern[at + 1], negated, property->name), close + 1 - at};
}

Rewritten rewrite_escape(std::string_view pattern, size_t at, bool in_brackets) {
  const char* word = in_brackets ? kWordInBrackets : "dflash_w";
  switch (pattern[at + 1]) {
    case 'p':
    case 'P':
      return rewrite_property(pattern, at);
    case 'w':
      return {braced('p', false, word), 2};
    case 'W':
      return {braced('P', false, word), 2};
    case 'd':
      return {braced('p', false, "dflash_nd"), 2};
    case 'D':
      return {braced('P', false, "dflash_nd"), 2};
    default:
      return {};
  }
}

}  // namespace

void define_unicode_properties() {
  static std::once_flag once;
  std::call_once(once, [] {
    OnigEncoding encoding = ONIG_ENCODING_UTF8;
    if (onig_initialize(&encoding, 1) != ONIG_NORMAL) {
      throw Error(ErrorKind::internal, "Oniguruma does not start");
    }
    define_all();
  });
}

std::string with_unicode_properties(std::string_view pattern) {
  std::string out;
  int brackets = 0;
  for (size_t i = 0; i < pattern.size();) {
    if (pattern[i] != '\\' || i + 1 == pattern.size()) {
      if (pattern[i] == '[') ++brackets;
      if (pattern[i] == ']' && brackets > 0) --brackets;
      out += pattern[i++];
      continue;
    }
    const Rewritten rewritten = rewrite_escape(pattern, i, brackets > 0);
    out += rewritten.bytes == 0 ? pattern.substr(i, 2) : std::string_view(rewritten.text);
    i += rewritten.bytes == 0 ? 2 : rewritten.bytes;
  }
  return out;
}

}  // namespace dflash
