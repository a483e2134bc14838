// CharacterRuns: how far characters of some classes reach in a text.
//
// Threading: a view; the text must live as long.
#pragma once

#include <climits>
#include <cstdint>
#include <string_view>

#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash {

class CharacterRuns {
 public:
  explicit CharacterRuns(std::string_view text) : text_(text), classes_(CharacterClasses::get()) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  /// Of the character at `at`.
  [[nodiscard]] uint32_t bytes(size_t at) const { return utf8_bytes(static_cast<unsigned char>(text_[at])); }
  [[nodiscard]] bool has(size_t at, uint16_t bits) const {
    return (classes_.of(decode_utf8(text_.data() + at).code_point) & bits) != 0;
  }

  /// Behind the characters from `at` on that have any of `bits`, at most so many.
  [[nodiscard]] size_t end_of(size_t at, uint16_t bits, int most = INT_MAX) const {
    return end_while(at, most, [bits](uint16_t found) { return (found & bits) != 0; });
  }
  /// Behind those that have none of `bits`.
  [[nodiscard]] size_t end_without(size_t at, uint16_t bits) const {
    return end_while(at, INT_MAX, [bits](uint16_t found) { return (found & bits) == 0; });
  }

 private:
  template <typename Wanted>
  [[nodiscard]] size_t end_while(size_t at, int most, Wanted wanted) const {
    for (; most > 0 && at < text_.size(); --most) {
      const Character character = decode_utf8(text_.data() + at);
      if (!wanted(classes_.of(character.code_point))) break;
      at += character.bytes;
    }
    return at;
  }

  std::string_view text_;
  const CharacterClasses& classes_;
};

}  // namespace dflash
