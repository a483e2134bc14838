// Regular expressions: the Unicode 16 properties in every spelling, and limits for those that would never end.
#include "common/text/regex/regex.h"

#include <gtest/gtest.h>

#include <chrono>

#include "common/text/regex/unicode_properties.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"
#include "tests/support/errors.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

bool matches(const std::string& pattern, char32_t code_point) {
  return Regex(pattern, "test").search(to_utf8(code_point), 0).has_value();
}

/// The code points from `first` to before `end` that the pattern matches, which is of one character.
std::vector<char32_t> matched(const Regex& regex, char32_t first, char32_t end) {
  std::string text;
  for (char32_t code_point = first; code_point < end; ++code_point) {
    if (code_point < 0xD800 || code_point > 0xDFFF) append_utf8(text, code_point);
  }
  std::vector<char32_t> found;
  for (auto match = regex.search(text, 0); match; match = regex.search(text, match->end)) {
    found.push_back(decode_utf8(text.data() + match->begin).code_point);
  }
  return found;
}

TEST(Regex, EveryCodePointAsTheReferenceSeesIt) {
  const Json props = Json::parse(test::read_any(test::golden_text_folder() / "unicode" / "props.json.gz"));
  ASSERT_EQ(props.size(), 19U);
  for (const auto& [pattern, ranges] : props.items()) {
    if (pattern == "(?i:ss)") continue;  // of two characters
    std::vector<char32_t> wanted;
    for (const Json& range : ranges) {
      for (auto c = range[0].get<uint32_t>(); c <= range[1].get<uint32_t>(); ++c) wanted.push_back(c);
    }
    const Regex regex(pattern, "test");
    std::vector<char32_t> found;
    for (char32_t first = 0; first < kCodePoints; first += 0x1000) {
      const auto part = matched(regex, first, first + 0x1000);
      found.insert(found.end(), part.begin(), part.end());
    }
    EXPECT_TRUE(found == wanted) << pattern << ": " << found.size() << " for " << wanted.size();
  }
}

TEST(Regex, SpellingsOfProperties) {
  constexpr char32_t kNewLetter = 0x1C89;  // Unicode 16, an upper-case letter
  for (const std::string pattern : {R"(\p{L})", R"(\p{l})", R"(\p{Letter})", R"(\p{Lu})", R"(\p{Uppercase_Letter})",
                                    R"([\p{L}])", R"([^\P{L}])", R"(\P{^L})", R"(\w)", R"([\w])", R"([^\p{N}])"}) {
    EXPECT_TRUE(matches(pattern, kNewLetter)) << pattern;
  }
  for (const std::string pattern : {R"(\P{L})", R"(\p{^L})", R"(\p{Ll})", R"([^\p{L}\p{N}])", R"(\W)", R"(\\p{L})"}) {
    EXPECT_FALSE(matches(pattern, kNewLetter)) << pattern;
  }
  EXPECT_EQ(with_unicode_properties(R"(\\w\\\w)"), R"(\\w\\\p{dflash_w})");
  EXPECT_EQ(with_unicode_properties(R"(\p{Han}\p)"), R"(\p{Han}\p)");
  EXPECT_TRUE(matches(R"(\w)", 0xBD));  // a fraction is a word character, but not inside brackets
  EXPECT_TRUE(matches(R"([^\w\s])", 0xBD));
  EXPECT_FALSE(matches(R"([a\w])", 0xBD));
  EXPECT_TRUE(matches(R"([a\w])", kNewLetter));
}

TEST(Regex, BrokenOnesAreRefused) {
  for (const std::string pattern : {"(", "a{2,1", "[z-a]", "\\p{Nonsense}", "(?<n>a", "*"}) {
    if (pattern == "a{2,1") continue;  // Ruby takes it literally
    const Error error = error_of([&] { (void)Regex(pattern, "tokenizer.json: pre_tokenizer"); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    EXPECT_TRUE(says(error, {"tokenizer.json: pre_tokenizer", "no regular expression"})) << pattern;
  }
  expect_error(ErrorKind::input_file, "too long", [] { (void)Regex(std::string(100000, 'a'), "test"); });
}

TEST(Regex, ExponentialTimeIsAnError) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = std::string(60, 'a') + "!";
  for (const std::string pattern : {"(a+)+$", "(a|a)*$", "(a*)*b", "(a|aa)+$"}) {
    const Regex regex(pattern, "tokenizer.json: pre_tokenizer");
    try {
      EXPECT_FALSE(regex.search(text, 0)) << pattern;  // some are seen through
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input_file);
      EXPECT_TRUE(says(error, {"tokenizer.json: pre_tokenizer", "gave up"}));
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(Regex, LongRunsAreNoFault) {
  const std::string text(2'000'000, 'x');
  const auto match = Regex(R"(\p{L}+)", "test").search(text, 0);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->end, text.size());
}

TEST(Regex, QuotedTextMatchesItself) {
  std::string text;
  for (int c = ' '; c < 127; ++c) text += static_cast<char>(c);
  const auto match = Regex(quote_regex(text), "test").search("x" + text, 0);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 1U);
  EXPECT_EQ(match->end, 1 + text.size());
}

}  // namespace
}  // namespace dflash
