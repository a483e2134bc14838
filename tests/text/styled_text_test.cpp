// Tokens in colours and between marks, and foreign text that wants to reach the terminal.
#include "common/text/shown/styled_text.h"

#include <gtest/gtest.h>

#include "tests/support/paths.h"

namespace dflash {
namespace {

const std::vector<TextStyle> kStyles{{"\033[2m", "", "|"}, {"\033[32m", "[", "]"}, {"", "", ""}};

class StyledText : public ::testing::Test {
 protected:
  /// Each text is encoded by itself and has the style beside it.
  std::string shown(const std::vector<std::pair<std::string, uint32_t>>& texts, bool colour) {
    std::vector<StyledToken> tokens;
    for (const auto& [text, style] : texts) {
      Encoding encoding;
      tokenizer_.encode(text, {.special_tokens = false}, scratch_, encoding);
      for (const uint32_t id : encoding.ids) tokens.push_back({id, style});
    }
    return styled_text(tokenizer_, tokens, kStyles, colour);
  }
  Tokenizer tokenizer_ = Tokenizer::read(test::source_dir() / "deploy/quickstart-data/target/tokenizer.json");
  TokenizerScratch scratch_;
};

TEST_F(StyledText, RunsAreMarkedOrColoured) {
  const std::vector<std::pair<std::string, uint32_t>> texts{
      {"<|im_start|>user\n", 0}, {"Hi", 0}, {"one", 2}, {" two", 1}, {" three", 1}, {"<|im_end|>", 2}};
  EXPECT_EQ(shown(texts, false), "<|im_start|>user\nHi|one[ two three]<|im_end|>");
  EXPECT_EQ(shown(texts, true),
            "\033[2m<|im_start|>user\033[0m\n\033[2mHi\033[0mone\033[32m two three\033[0m<|im_end|>");
  EXPECT_EQ(shown({}, true), "");
}

TEST_F(StyledText, ColoursEndAtLineEnds) {
  EXPECT_EQ(shown({{"a\n\nb\n", 1}, {"c", 2}}, true), "\033[32ma\033[0m\n\n\033[32mb\033[0m\nc");
}

TEST_F(StyledText, ACharacterOfSeveralTokensHasTheStyleOfItsLast) {
  Encoding encoding;
  tokenizer_.encode("€", {.special_tokens = false}, scratch_, encoding);
  ASSERT_GT(encoding.ids.size(), 1U);
  std::vector<StyledToken> tokens;
  tokens.reserve(encoding.ids.size());
  for (const uint32_t id : encoding.ids) tokens.push_back({id, 2});
  tokens.back().style = 1;
  EXPECT_EQ(styled_text(tokenizer_, tokens, kStyles, false), "[€]");
  tokens.pop_back();  // cut: what is no character must not look like one
  EXPECT_EQ(styled_text(tokenizer_, tokens, kStyles, false), "\xEF\xBF\xBD");
}

TEST_F(StyledText, UnknownIdsAreShown) {
  EXPECT_EQ(styled_text(tokenizer_, std::vector<StyledToken>{{999999, 1}}, kStyles, false), "[<id 999999>]");
}

TEST_F(StyledText, NothingOfTheDataReachesTheTerminalRaw) {
  EXPECT_EQ(shown({{"a\033[31mb\r\x07\xC2\x9B", 1}}, true), "\033[32ma\\x1b[31mb\\r\\x07\\x9b\033[0m");
}

}  // namespace
}  // namespace dflash
