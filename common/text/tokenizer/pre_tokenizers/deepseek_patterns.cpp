#include "common/text/tokenizer/pre_tokenizers/deepseek_patterns.h"

#include "common/text/tokenizer/pre_tokenizers/known_words.h"

namespace dflash {
namespace {

namespace cc = CharacterClass;

constexpr std::string_view kNumbers = R"(\p{N}{1,3})";
constexpr std::string_view kEastAsian = "[一-龥぀-ゟ゠-ヿ]+";
// Its line ends stand in it as they are.
constexpr std::string_view kWords =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
    " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

struct Numbers {
  [[nodiscard]] static size_t word_end(const CharacterRuns& runs, size_t at) { return runs.end_of(at, cc::kNumber, 3); }
};

struct EastAsian {
  [[nodiscard]] static size_t word_end(const CharacterRuns& runs, size_t at) {
    const std::string_view text = runs.text();
    size_t end = at;
    while (end < text.size() && is_one(decode_utf8(text.data() + end).code_point)) end += 3;
    return end;
  }

 private:
  static bool is_one(char32_t code_point) {  // three bytes each
    return (code_point >= 0x4E00 && code_point <= 0x9FA5) || (code_point >= 0x3040 && code_point <= 0x30FF);
  }
};

struct Words {
  static constexpr uint16_t kLetters = cc::kLetter | cc::kMark;
  static constexpr uint16_t kSigns = cc::kPunctuation | cc::kSymbol;

  [[nodiscard]] static size_t word_end(const CharacterRuns& runs, size_t at) {
    const std::string_view text = runs.text();
    if (const size_t end = runs.end_of(at, kLetters); end > at) return end;
    if (runs.has(at, kSigns)) return signs_end(runs, at);
    if (!is_line_end(text[at])) {  // any other character may lead a word
      const size_t begin = at + runs.bytes(at);
      if (const size_t end = runs.end_of(begin, kLetters); end > begin) return end;
    }
    if (text[at] == ' ' && at + 1 < text.size() && runs.has(at + 1, kSigns))
      return line_ends(text, signs(runs, at + 1));
    return space_end(runs, at, /*line_ends=*/true);
  }

 private:
  /// A sign of ASCII leads a word of ASCII letters; other signs go together, with the line ends behind them.
  static size_t signs_end(const CharacterRuns& runs, size_t at) {
    const std::string_view text = runs.text();
    size_t end = at + 1;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      while (end < text.size() && is_ascii_letter(text[end])) ++end;
      if (end > at + 1) return end;
    }
    return line_ends(text, signs(runs, at));
  }
  static size_t signs(const CharacterRuns& runs, size_t at) { return runs.end_of(at, kSigns); }
  static size_t line_ends(std::string_view text, size_t end) {
    while (end < text.size() && is_line_end(text[end])) ++end;
    return end;
  }
  static bool is_ascii_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }
};

}  // namespace

std::unique_ptr<const PatternMatcher> deepseek_pattern_matcher(std::string_view pattern) {
  if (pattern == kNumbers) return std::make_unique<KnownPattern<Numbers>>(Numbers());
  if (pattern == kEastAsian) return std::make_unique<KnownPattern<EastAsian>>(EastAsian());
  if (pattern == kWords) return std::make_unique<KnownPattern<Words>>(Words());
  return nullptr;
}

}  // namespace dflash
