#include "common/text/unicode/character_class.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace dflash {
namespace {

constexpr uint32_t kRuns[] = {
#include "common/text/unicode/character_runs.inc"
};

struct CasePair {
  char32_t capital;
  char32_t small;
};

constexpr auto kLowercaseAdditions = std::to_array<CasePair>({
#include "common/text/unicode/lowercase_additions.inc"
});

}  // namespace

const CharacterClasses& CharacterClasses::get() {
  static const CharacterClasses classes;
  return classes;
}

CharacterClasses::CharacterClasses() {
  bits_.reserve(kCodePoints);
  for (size_t i = 0; i + 1 < std::size(kRuns); i += 2) {
    bits_.insert(bits_.end(), kRuns[i], static_cast<uint16_t>(kRuns[i + 1]));
  }
  bits_.resize(kCodePoints);
}

std::vector<CharacterClasses::Range> CharacterClasses::ranges_of(uint16_t bits) const {
  std::vector<Range> ranges;
  for (char32_t code_point = 0; code_point < kCodePoints; ++code_point) {
    if ((bits_[code_point] & bits) == 0) continue;
    if (!ranges.empty() && ranges.back().last + 1 == code_point) {
      ranges.back().last = code_point;
    } else {
      ranges.push_back({code_point, code_point});
    }
  }
  return ranges;
}

char32_t lower_case(char32_t code_point) {
  if (code_point < 0x80) return code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point;
  const auto place = std::ranges::lower_bound(kLowercaseAdditions, code_point, {}, &CasePair::capital);
  if (place != kLowercaseAdditions.end() && place->capital == code_point) return place->small;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

}  // namespace dflash
