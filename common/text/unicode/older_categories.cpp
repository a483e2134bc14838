#include "common/text/unicode/older_categories.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/text/unicode/character_class.h"

namespace dflash {
namespace {

using Range = CharacterClasses::Range;

constexpr auto kPunctuation = std::to_array<Range>({
#include "common/text/unicode/older_punctuation.inc"
});
constexpr auto kMarks = std::to_array<Range>({
#include "common/text/unicode/older_marks.inc"
});

bool contains(std::span<const Range> ranges, char32_t code_point) {
  const auto place = std::ranges::lower_bound(ranges, code_point, {}, &Range::last);
  return place != ranges.end() && place->first <= code_point;
}

}  // namespace

bool is_bert_punctuation(char32_t code_point) {
  return contains(kPunctuation, code_point);
}

bool is_bert_accent(char32_t code_point) {
  return contains(kMarks, code_point);
}

}  // namespace dflash
