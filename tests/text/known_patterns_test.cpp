// The matchers of our own split every text as Oniguruma does with the same expression.
#include "common/text/tokenizer/pre_tokenizers/known_patterns.h"

#include <gtest/gtest.h>

#include <random>

#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

const std::vector<std::string> kPatterns = {
    std::string(kGpt2Pattern),
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}{1,3}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"(\p{N}{1,3})",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
    " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};

class KnownPatterns : public testing::TestWithParam<std::string> {
 protected:
  KnownPatterns() : ours_(known_pattern_matcher(GetParam())), theirs_(make_regex_matcher(GetParam(), "test")) {}

  [[nodiscard]] static std::vector<size_t> ends(const PatternMatcher& matcher, const std::string& text) {
    std::vector<Regex::Match> matches;
    matcher.find_all(text, matches);
    std::vector<size_t> ends;
    for (const Regex::Match& match : matches) {
      ends.push_back(match.begin);
      ends.push_back(match.end);
    }
    return ends;
  }

  void check(const std::string& text) { ASSERT_EQ(ends(*ours_, text), ends(*theirs_, text)) << Json(text).dump(); }

  std::unique_ptr<const PatternMatcher> ours_;
  std::unique_ptr<const PatternMatcher> theirs_;
};

TEST_P(KnownPatterns, HaveAMatcher) {
  ASSERT_NE(ours_, nullptr);
  EXPECT_EQ(known_pattern_matcher(GetParam() + "|x"), nullptr);
}

// Characters that the patterns treat differently, in all orders of up to five.
TEST_P(KnownPatterns, ShortTextsOfAllKinds) {
  const std::vector<std::string> kinds = {"a", "B", "'", "7", " ", "\n", "/", "\xCC\x81"};
  std::vector<std::string> texts = {""};
  for (size_t begin = 0, length = 0; length < 5; ++length) {
    const size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const std::string& kind : kinds) texts.push_back(texts[begin] + kind);
    }
  }
  for (const std::string& text : texts) {
    check(text);
    if (HasFatalFailure()) return;
  }
}

TEST_P(KnownPatterns, RandomTexts) {
  const std::vector<std::string> special = {"'s",
                                            "'S",
                                            "'\xC5\xBF",
                                            "'ll",
                                            "'LL",
                                            "'lL",
                                            "'re",
                                            "'Ve",
                                            "'d",
                                            "'M",
                                            "'t",
                                            " ",
                                            "  ",
                                            "\n",
                                            "\r\n",
                                            "\t",
                                            "\xC2\xA0",
                                            "\xE3\x80\x80",
                                            "/",
                                            "//\n",
                                            "1",
                                            "12345",
                                            "\xC2\xBD",
                                            "a",
                                            "Ab",
                                            "ABC",
                                            "aB",
                                            "\xC7\x85",
                                            "\xCA\xB0",
                                            "\xE6\xBC\xA2",
                                            "\xE0\xA4\xA8\xE0\xA4\xBF",
                                            "\xCC\x81",
                                            "\xF0\x9F\x98\x80",
                                            "...",
                                            "_",
                                            "-x",
                                            "$Ab",
                                            "#\xC3\xA9",
                                            "\xE3\x81\x82",
                                            "\xE9\xBE\xA6",
                                            "\xE2\x80\x8B",
                                            "\xE2\x80\x99s"};
  std::mt19937 random(7);  // the same texts every time
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  for (int i = 0; i < 6000; ++i) {
    std::string text;
    for (size_t parts = 1 + below(12); parts > 0; --parts) {
      if (below(8) > 0) {
        text += special[below(special.size())];
      } else {
        char32_t code_point = static_cast<char32_t>(below(below(2) == 0 ? 0x3000 : 0x20000));
        if (code_point >= 0xD800 && code_point < 0xE000) code_point = U'x';
        append_utf8(text, code_point);
      }
    }
    check(text);
    if (HasFatalFailure()) return;
  }
}

// Every code point, between letters and behind a space.
TEST_P(KnownPatterns, EveryCodePoint) {
  std::string text;
  for (char32_t code_point = 1; code_point < 0x32000; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    text += "a";
    append_utf8(text, code_point);
    text += "B ";
    append_utf8(text, code_point);
    if (text.size() > 4000) {
      check(text);
      if (HasFatalFailure()) return;
      text.clear();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, KnownPatterns, testing::ValuesIn(kPatterns),
                         [](const auto& pattern) { return "Pattern" + std::to_string(pattern.index); });

}  // namespace
}  // namespace dflash
