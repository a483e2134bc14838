#include "common/eval/shown_text.h"

#include <gtest/gtest.h>

#include "tests/support/paths.h"

namespace dflash {
namespace {

class ShownText : public ::testing::Test {
 protected:
  std::vector<int64_t> ids_of(const std::string& text) {
    Encoding encoding;
    tokenizer_.encode(text, {.special_tokens = false}, scratch_, encoding);
    return {encoding.ids.begin(), encoding.ids.end()};
  }
  /// Accepts all of `accepted`, then says `own`; an empty `own` is a pass whose room ended before it.
  void add_step(Decoded& decoded, const std::string& accepted, const std::string& own) {
    DecodeStep step;
    step.draft = ids_of(accepted);
    step.accepted = static_cast<int64_t>(step.draft.size());
    step.committed = step.draft;
    for (const int64_t id : ids_of(own)) step.committed.push_back(id);
    decoded.ids.insert(decoded.ids.end(), step.committed.begin(), step.committed.end());
    decoded.steps.push_back(step);
  }
  Decoded example() {
    Decoded decoded;
    decoded.ids = ids_of("<|im_start|>user\nHi");
    decoded.prompt_tokens = static_cast<int64_t>(decoded.ids.size());
    decoded.ids.push_back(ids_of("a").at(0));
    add_step(decoded, " b c", " d");
    add_step(decoded, "", " e");
    add_step(decoded, " f", "");
    return decoded;
  }
  Tokenizer tokenizer_ = Tokenizer::read(test::source_dir() / "deploy/quickstart-data/target/tokenizer.json");
  TokenizerScratch scratch_;
  const Prompt prompt_{{}, "code\033", 0, "row-1", "p.jsonl:7"};
};

TEST_F(ShownText, BracketsStandAroundAcceptedTokens) {
  const std::string text = shown_text(prompt_, example(), tokenizer_, false);
  EXPECT_EQ(text,
            "--- p.jsonl:7 row-1 (code\\x1b): 6 new tokens, 3 target passes, acceptance length 1.667\n"
            "<|im_start|>user\nHi¦a⟦ b c⟧ d e⟦ f⟧\n");
}

TEST_F(ShownText, AcceptedTokensAreGreen) {
  const std::string text = shown_text(prompt_, example(), tokenizer_, true);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "\033[2m<|im_start|>user\033[0m\n\033[2mHi\033[0ma\033[32m b c\033[0m d e\033[32m f\033[0m\n");
}

TEST_F(ShownText, TheLegendLooksLikeTheText) {
  EXPECT_EQ(shown_legend(false), "prompt¦ ⟦accepted drafted tokens⟧ the target's own tokens\n");
  EXPECT_EQ(shown_legend(true),
            "\033[2mprompt\033[0m \033[32maccepted drafted tokens\033[0m the target's own tokens\n");
}

}  // namespace
}  // namespace dflash
