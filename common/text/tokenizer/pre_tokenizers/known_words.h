// What the matchers of known patterns share: ends of words, as the alternatives of those patterns find them.
//
//   struct Words { size_t word_end(const CharacterRuns& runs, size_t at) const; };   // `at` where no word begins there
//   KnownPattern<Words> matcher{Words()};
//
// Threading: functions only; matchers are immutable.
#pragma once

#include <string_view>
#include <vector>

#include "common/text/tokenizer/pre_tokenizers/character_runs.h"
#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"

namespace dflash {

[[nodiscard]] inline bool is_line_end(char byte) {
  return byte == '\r' || byte == '\n';
}

/// Bytes of 's 't 're 've 'm 'll 'd at `at`, where the apostrophe stands; 0 when it is none. `any_case`: capitals and
/// the long s count too.
[[nodiscard]] inline size_t contraction_bytes(std::string_view text, size_t at, bool any_case) {
  const auto letter = [&](size_t i) -> char {
    if (at + i >= text.size()) return '\0';
    const char byte = text[at + i];
    return any_case && byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
  };
  const char first = letter(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' || first == 'v') && letter(2) == 'e') return 3;
  if (first == 'l' && letter(2) == 'l') return 3;
  return any_case && text.substr(at + 1).starts_with("\xC5\xBF") ? 3 : 0;
}

/// White space that no earlier part of a pattern took: up to its last line end where the pattern has `\s*[\r\n]+`; else
/// all but its last character, which goes with what follows; all of it at the end of the text.
[[nodiscard]] inline size_t space_end(const CharacterRuns& runs, size_t at, bool line_ends) {
  const std::string_view text = runs.text();
  size_t behind_line_end = 0;
  size_t last = at;
  size_t end = at;
  while (end < text.size() && runs.has(end, CharacterClass::kSpace)) {
    last = end;
    end += runs.bytes(end);
    if (is_line_end(text[last])) behind_line_end = end;
  }
  if (line_ends && behind_line_end > 0) return behind_line_end;
  return end == text.size() || last == at ? end : last;
}

/// ` ?[^\s...]+`: the end of a run without any of `not_these`, perhaps behind a space; `at` when there is none.
[[nodiscard]] inline size_t other_end(const CharacterRuns& runs, size_t at, uint16_t not_these) {
  const size_t begin = at + (runs.text()[at] == ' ' ? 1 : 0);
  const size_t end = runs.end_without(begin, not_these);
  return end == begin ? at : end;
}

/// Matches where Words finds a word, one behind the other; a character where none begins belongs to none.
template <typename Words>
class KnownPattern : public PatternMatcher {
 public:
  explicit KnownPattern(Words words) : words_(words) {}
  void find_all(std::string_view text, std::vector<Regex::Match>& matches) const override {
    const CharacterRuns runs(text);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = words_.word_end(runs, begin);
      if (end > begin) matches.push_back({begin, end});
      begin = end > begin ? end : begin + runs.bytes(begin);
    }
  }

 private:
  Words words_;
};

}  // namespace dflash
