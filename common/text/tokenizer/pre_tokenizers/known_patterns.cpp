#include "common/text/tokenizer/pre_tokenizers/known_patterns.h"

#include "common/base/format.h"
#include "common/text/tokenizer/pre_tokenizers/deepseek_patterns.h"
#include "common/text/tokenizer/pre_tokenizers/known_words.h"

namespace dflash {

const std::string_view kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

namespace cc = CharacterClass;

struct Gpt2 {
  [[nodiscard]] static size_t word_end(const CharacterRuns& runs, size_t at) {
    const std::string_view text = runs.text();
    if (text[at] == '\'') {
      if (const size_t bytes = contraction_bytes(text, at, /*any_case=*/false)) return at + bytes;
    }
    const size_t begin = at + (text[at] == ' ' ? 1 : 0);
    if (const size_t end = runs.end_of(begin, cc::kLetter); end > begin) return end;
    if (const size_t end = runs.end_of(begin, cc::kNumber); end > begin) return end;
    const size_t end = other_end(runs, at, cc::kSpace | cc::kLetter | cc::kNumber);
    return end > at ? end : space_end(runs, at, /*line_ends=*/false);
  }
};

struct Cl100k {
  uint16_t letters;  // \p{L}, with \p{M} in newer files
  int most_digits;   // of one word

  [[nodiscard]] size_t word_end(const CharacterRuns& runs, size_t at) const {
    const std::string_view text = runs.text();
    if (text[at] == '\'') {
      if (const size_t bytes = contraction_bytes(text, at, /*any_case=*/true)) return at + bytes;
    }
    if (runs.has(at, letters)) return runs.end_of(at, letters);
    if (runs.has(at, cc::kNumber)) return runs.end_of(at, cc::kNumber, most_digits);
    if (!is_line_end(text[at])) {  // any other character may lead a word
      const size_t begin = at + runs.bytes(at);
      if (const size_t end = runs.end_of(begin, letters); end > begin) return end;
    }
    size_t end = other_end(runs, at, static_cast<uint16_t>(cc::kSpace | cc::kNumber | letters));
    if (end == at) return space_end(runs, at, /*line_ends=*/true);
    while (end < text.size() && is_line_end(text[end])) ++end;
    return end;
  }
};

/// Words change where a capital follows a small letter; letters without case and marks are both.
struct O200k {
  bool contractions;  // 's 't ... end a word
  int most_digits;

  static constexpr uint16_t kCapitals = cc::kUpper | cc::kTitle | cc::kModifierLetter | cc::kOtherLetter | cc::kMark;
  static constexpr uint16_t kSmalls = cc::kLower | cc::kModifierLetter | cc::kOtherLetter | cc::kMark;

  [[nodiscard]] size_t word_end(const CharacterRuns& runs, size_t at) const {
    const std::string_view text = runs.text();
    const bool may_lead = !is_line_end(text[at]) && !runs.has(at, cc::kLetter | cc::kNumber);
    const size_t behind_lead = at + runs.bytes(at);
    for (const bool ends_small : {true, false}) {
      const auto letters_end = ends_small ? small_end : capital_end;
      if (may_lead) {
        if (const size_t end = letters_end(runs, behind_lead); end > behind_lead) return with_contraction(text, end);
      }
      if (const size_t end = letters_end(runs, at); end > at) return with_contraction(text, end);
    }
    if (runs.has(at, cc::kNumber)) return runs.end_of(at, cc::kNumber, most_digits);
    size_t end = other_end(runs, at, cc::kSpace | cc::kLetter | cc::kNumber);
    if (end == at) return space_end(runs, at, /*line_ends=*/true);
    while (end < text.size() && (is_line_end(text[end]) || text[end] == '/')) ++end;
    return end;
  }

 private:
  [[nodiscard]] size_t with_contraction(std::string_view text, size_t end) const {
    if (!contractions || end == text.size() || text[end] != '\'') return end;
    return end + contraction_bytes(text, end, /*any_case=*/true);
  }
  /// Capitals, then at least one small letter; of capitals alone up to the last that may count as small.
  static size_t small_end(const CharacterRuns& runs, size_t begin) {
    const size_t capitals = runs.end_of(begin, kCapitals);
    if (const size_t end = runs.end_of(capitals, kSmalls); end > capitals) return end;
    size_t end = begin;
    for (size_t i = begin; i < capitals; i += runs.bytes(i)) {
      if (runs.has(i, kSmalls)) end = i + runs.bytes(i);
    }
    return end;
  }
  static size_t capital_end(const CharacterRuns& runs, size_t begin) {
    const size_t capitals = runs.end_of(begin, kCapitals);
    return capitals == begin ? begin : runs.end_of(capitals, kSmalls);
  }
};

std::string o200k_pattern(const char* contractions, const char* digits) {
  return format(
      R"([^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]*[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]+{0}|)"
      R"([^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]+[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]*{0}|)"
      R"({1}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      contractions, digits);
}

std::string cl100k_pattern(const char* marks, const char* digits) {
  return format(R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?{0}|{1}| ?[^\s\p{{L}}{2}\p{{N}}]+[\r\n]*|)"
                R"(\s*[\r\n]+|\s+(?!\S)|\s+)",
                *marks == '\0' ? R"(\p{L}+)" : R"([\p{L}\p{M}]+)", digits, marks);
}

}  // namespace

std::unique_ptr<const PatternMatcher> known_pattern_matcher(std::string_view pattern) {
  if (pattern == kGpt2Pattern) return std::make_unique<KnownPattern<Gpt2>>(Gpt2());
  for (const auto& [digits, most_digits] : {std::pair{R"(\p{N})", 1}, std::pair{R"(\p{N}{1,3})", 3}}) {
    for (const char* contractions : {"", R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"}) {
      if (pattern != o200k_pattern(contractions, digits)) continue;
      return std::make_unique<KnownPattern<O200k>>(O200k{*contractions != '\0', most_digits});
    }
    for (const char* marks : {"", R"(\p{M})"}) {
      if (pattern != cl100k_pattern(marks, digits)) continue;
      const auto letters = static_cast<uint16_t>(cc::kLetter | (*marks == '\0' ? 0 : cc::kMark));
      return std::make_unique<KnownPattern<Cl100k>>(Cl100k{letters, most_digits});
    }
  }
  return deepseek_pattern_matcher(pattern);
}

}  // namespace dflash
