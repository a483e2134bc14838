// CharacterClasses: what Unicode 16 says of each code point, as bits. Made from character_runs.inc, which holds what
// the reference library's engines see (Debian's Oniguruma and utf8proc are older).
//
//   const CharacterClasses& classes = CharacterClasses::get();
//   if (classes.of(code_point) & CharacterClass::kLetter) ...
//
// Threading: made at the first call of get(), then never changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dflash {

/// Bits of a class. General categories of Unicode, then white space (\s), word characters (\w of Oniguruma), and three
/// sets of the reference library's normalizers.
namespace CharacterClass {
constexpr uint16_t kUpper = 1U << 0U;
constexpr uint16_t kLower = 1U << 1U;
constexpr uint16_t kTitle = 1U << 2U;
constexpr uint16_t kModifierLetter = 1U << 3U;
constexpr uint16_t kOtherLetter = 1U << 4U;
constexpr uint16_t kNonspacingMark = 1U << 5U;
constexpr uint16_t kOtherMark = 1U << 6U;
constexpr uint16_t kDecimalNumber = 1U << 7U;
constexpr uint16_t kOtherNumber = 1U << 8U;
constexpr uint16_t kPunctuation = 1U << 9U;
constexpr uint16_t kSymbol = 1U << 10U;
constexpr uint16_t kSpace = 1U << 11U;
constexpr uint16_t kWord = 1U << 12U;
constexpr uint16_t kCombining = 1U << 13U;     ///< removed by StripAccents: the marks of an older Unicode
constexpr uint16_t kUndecomposed = 1U << 14U;  ///< newer than the reference's decompositions: stays as it is
constexpr uint16_t kBertRemoved = 1U << 15U;   ///< removed by the cleaning of BertNormalizer
constexpr uint16_t kLetter = kUpper | kLower | kTitle | kModifierLetter | kOtherLetter;
constexpr uint16_t kMark = kNonspacingMark | kOtherMark;
constexpr uint16_t kNumber = kDecimalNumber | kOtherNumber;
}  // namespace CharacterClass

constexpr char32_t kCodePoints = 0x110000;

class CharacterClasses {
 public:
  [[nodiscard]] static const CharacterClasses& get();

  /// The bits of a code point below kCodePoints.
  [[nodiscard]] uint16_t of(char32_t code_point) const { return bits_[code_point]; }

  struct Range {
    char32_t first;
    char32_t last;
  };
  /// The code points that have any of `bits`, as ascending ranges.
  [[nodiscard]] std::vector<Range> ranges_of(uint16_t bits) const;

 private:
  CharacterClasses();
  std::vector<uint16_t> bits_;
};

/// Whether a code point is white space (the 25 of Unicode's White_Space).
[[nodiscard]] inline bool is_space(char32_t code_point) {
  if (code_point < 0x80) return code_point == ' ' || (code_point >= 9 && code_point <= 13);
  return (CharacterClasses::get().of(code_point) & CharacterClass::kSpace) != 0;
}

/// The lower case of one code point; U+0130 alone becomes two, of which this is the first.
[[nodiscard]] char32_t lower_case(char32_t code_point);

}  // namespace dflash
