#include "common/text/shown/decoded_runs.h"

#include <gtest/gtest.h>

#include <random>

#include "common/text/unicode/utf8.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

using Mask = std::vector<uint8_t>;

const Tokenizer& quickstart() {
  static const Tokenizer tokenizer =
      Tokenizer::read(test::source_dir() / "deploy/quickstart-data/target/tokenizer.json");
  return tokenizer;
}

std::vector<uint32_t> encode(const std::string& text) {
  TokenizerScratch scratch;
  Encoding encoding;
  quickstart().encode(text, {}, scratch, encoding);
  return encoding.ids;
}

TEST(DecodedRuns, BeginAndEndWhereTheMaskDoes) {
  const auto ids = encode("one two three");
  ASSERT_GE(ids.size(), 3U);
  Mask mask(ids.size(), 0);
  const auto whole = decode_runs(quickstart(), ids, mask);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].text, "one two three");
  EXPECT_FALSE(whole[0].supervised);
  mask.back() = 1;
  const auto two = decode_runs(quickstart(), ids, mask);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].text, quickstart().decode(std::span(ids).last(1), false));
  EXPECT_TRUE(two[1].supervised);
  EXPECT_TRUE(decode_runs(quickstart(), {}, {}).empty());
}

TEST(DecodedRuns, SpecialTokensAreSeen) {
  const auto ids = encode("<|im_start|>user<|im_end|>");
  const auto runs = decode_runs(quickstart(), ids, Mask(ids.size(), 1));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].text, "<|im_start|>user<|im_end|>");
}

TEST(DecodedRuns, NoBorderCutsACharacter) {
  const std::string text = "caf\u00e9 \u6f22\u5b57 \U0001F642\U0001F642 end";
  const auto ids = encode(text);
  ASSERT_GT(ids.size(), count_characters(text) / 2);  // this vocabulary spells them byte by byte
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Mask mask(ids.size());
    for (uint8_t& value : mask) value = static_cast<uint8_t>(random() % 2);
    std::string all;
    for (const DecodedRun& run : decode_runs(quickstart(), ids, mask)) {
      EXPECT_TRUE(is_utf8(run.text)) << run.text;
      EXPECT_EQ(run.text.find(kReplacementCharacter), std::string::npos);
      all += run.text;
    }
    EXPECT_EQ(all, text);
  }
}

TEST(DecodedRuns, ACharacterAcrossABorderStandsInTheLaterRun) {
  const auto ids = encode("a\u6f22");
  ASSERT_GE(ids.size(), 3U);
  Mask mask(ids.size(), 0);
  mask.back() = 1;  // its last byte alone
  const auto runs = decode_runs(quickstart(), ids, mask);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].text, "a");
  EXPECT_EQ(runs[1].text, "\u6f22");
}

}  // namespace
}  // namespace dflash
