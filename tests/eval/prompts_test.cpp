#include "common/eval/prompts.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

const std::filesystem::path kTarget = test::source_dir() / "deploy/quickstart-data/target";
constexpr int64_t kTargetVocab = 2048;

class PromptsTest : public ::testing::Test {
 protected:
  std::vector<Prompt> read(const std::string& text, int64_t vocab_size = 100) {
    PromptReader reader({.model = folder_.path(), .tokenizer = {}, .chat_template = {}}, vocab_size);
    return read(text, reader);
  }
  std::vector<Prompt> read(const std::string& text, PromptReader& reader, const PromptFileOptions& options = {}) {
    write_text(path(), text);
    std::vector<Prompt> prompts;
    description_ = reader.read(path().string(), options, prompts);
    return prompts;
  }
  static PromptReader for_target() { return {{.model = kTarget, .tokenizer = {}, .chat_template = {}}, kTargetVocab}; }
  static std::string text_of(PromptReader& reader, const Prompt& prompt) {
    return reader.tokenizer().decode(std::vector<uint32_t>(prompt.ids.begin(), prompt.ids.end()), false);
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "prompts.jsonl"; }
  TempFolder folder_;
  std::string description_;
};

TEST_F(PromptsTest, ReadsIdsAndKinds) {
  const auto prompts = read("{\"id\":\"a\",\"prompt_ids\":[1,99],\"kind\":\"code\"}\r\n\n{\"prompt_ids\":[0]}");
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(prompts[0].ids, (std::vector<int64_t>{1, 99}));
  EXPECT_EQ(prompts[0].kind, "code");
  EXPECT_EQ(prompts[0].id, "a");
  EXPECT_EQ(prompts[1].kind, "all");
  EXPECT_EQ(prompts[1].where, path().string() + ":3");
  EXPECT_NE(description_.find("rows are read as token_ids"), std::string::npos) << description_;
}

TEST_F(PromptsTest, NamesTheLineThatIsNotUsable) {
  const std::string good = "{\"prompt_ids\":[1]}\n";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"{\"prompt_ids\":[]}", "prompt_ids is empty"},
      {"{\"prompt_ids\":[100]}", "token id 100 is not in the target's vocabulary of 100"},
      {"{\"prompt_ids\":[-1]}", "prompt_ids[0] is outside"},
      {"{\"prompt_ids\":[1.5]}", "prompt_ids[0] is no integer"},
      {"{\"ids\":[1]}", "none of the fields of a prompt"},
      {"[1]", "not an object"},
      {"{\"prompt_ids\":[1]", "not JSON"},
      {"{\"prompt_ids\":[1],\"kind\":3}", "kind"},
      {"{\"prompt_ids\":[18446744073709551615]}", "prompt_ids[0] is outside"}};
  for (const auto& [line, why] : bad) {
    const Error error = error_of([&, text = good + line] { (void)read(text); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    EXPECT_TRUE(says(error, {"prompts.jsonl:2", why}));
  }
  EXPECT_TRUE(says(error_of([&] { (void)read(good + good + "{\"prompt\":\"Hi\"}"); }), {"jsonl:3", "other_shape"}));
  EXPECT_TRUE(says(error_of([&] { (void)read("\n"); }), {"no prompt"}));
}

TEST_F(PromptsTest, RawRowsAreRenderedAndEncoded) {
  PromptReader reader = for_target();
  const auto prompts =
      read("{\"prompt\":\"Hi\",\"kind\":\"chat\"}\n{\"prompt\":\"Ho\",\"response\":\"Hum\"}\n", reader);
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(text_of(reader, prompts[0]), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(text_of(reader, prompts[1]), "<|im_start|>user\nHo<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(prompts[0].kind, "chat");
}

TEST_F(PromptsTest, FilesAreNumberedAndMayBeCut) {
  PromptReader reader = for_target();
  const std::string rows = "{\"text\":\"a\"}\n{\"text\":\"b\"}\nbroken\n";
  const PromptFileOptions two{.shape = {}, .most_prompts = 2};
  std::vector<Prompt> prompts = read(rows, reader, two);
  (void)reader.read(path().string(), two, prompts);
  ASSERT_EQ(prompts.size(), 4U);
  EXPECT_EQ(prompts[1].file, 0U);
  EXPECT_EQ(prompts[2].file, 1U);
  EXPECT_TRUE(says(error_of([&] { (void)read(rows, reader); }), {"prompts.jsonl:3", "bad_json"}));
}

TEST_F(PromptsTest, LaterQuestionsFollowTheAnswer) {
  PromptReader reader = for_target();
  const auto prompts = read(
      "{\"messages\":[{\"role\":\"user\",\"content\":\"One\"},{\"role\":\"user\",\"content\":\"Two\"}],\"kind\":\"k\"}"
      "\n",
      reader);
  Encoding answer;
  TokenizerScratch scratch;
  reader.tokenizer().encode("So be it<|im_end|>", {.special_tokens = false}, scratch, answer);
  const auto next = reader.next_question(prompts[0], std::vector<int64_t>(answer.ids.begin(), answer.ids.end()));
  ASSERT_TRUE(next);
  EXPECT_EQ(text_of(reader, *next),
            "<|im_start|>user\nOne<|im_end|>\n<|im_start|>assistant\nSo be it<|im_end|>\n"
            "<|im_start|>user\nTwo<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(next->kind, "k");
  EXPECT_FALSE(reader.next_question(*next, {}));
}

TEST_F(PromptsTest, RawRowsNeedFilesThatFitTheTarget) {
  const std::string raw = "{\"prompt\":\"Hi\"}\n";
  EXPECT_TRUE(says(error_of([&] { (void)read(raw); }), {folder_.path().string(), "there is no tokenizer.json"}));
  PromptReader other({.model = kTarget, .tokenizer = {}, .chat_template = {}}, 100);
  EXPECT_TRUE(says(error_of([&] { (void)read(raw, other); }), {"prompts.jsonl:1", "is the tokenizer the target's?"}));
}

}  // namespace
}  // namespace dflash
