#include "common/data/answers/begun_thought.h"

#include <gtest/gtest.h>

#include "tests/support/paths.h"

namespace dflash {
namespace {

std::string begun_by(const std::string& prompt) {
  const Tokenizer tokenizer = Tokenizer::read(test::source_dir() / "deploy/quickstart-data/target/tokenizer.json");
  TokenizerScratch scratch;
  Encoding encoding;
  tokenizer.encode(prompt, {.special_tokens = false}, scratch, encoding);
  return begun_thought(tokenizer, std::vector<int32_t>(encoding.ids.begin(), encoding.ids.end()));
}

TEST(BegunThought, IsWhatThePromptEndsWith) {
  EXPECT_EQ(begun_by("<|im_start|>assistant\n<think>\n"), "<think>\n");
  EXPECT_EQ(begun_by("<|im_start|>assistant\n<think>"), "<think>");
  EXPECT_EQ(begun_by("<|im_start|>assistant\n"), "");
  EXPECT_EQ(begun_by("<think>\n\n</think>\n\n"), "") << "ended already";
  EXPECT_EQ(begun_by("What is <think> for?"), "");
  EXPECT_EQ(begun_by(""), "");
}

}  // namespace
}  // namespace dflash
