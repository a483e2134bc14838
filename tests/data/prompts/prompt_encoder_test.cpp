// Prompts as token ids, with the tokenizer and the template of the quick start's target, and with templates of our own.
#include "common/data/prompts/prompt_encoder.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

fs::path target() {
  return test::source_dir() / "deploy/quickstart-data/target";
}

class PromptEncoderTest : public ::testing::Test {
 protected:
  PromptEncoder with_template(const std::string& source, Json variables = Json::object()) {
    write_text(folder_.path() / "own.jinja", source);
    return PromptEncoder::read({.model = target(),
                                .tokenizer = {},
                                .chat_template = folder_.path() / "own.jinja",
                                .variables = std::move(variables)});
  }
  std::string text_of(const PromptEncoder& encoder, RowVerdict& verdict) {
    encoder.encode(verdict, scratch_);
    const auto& ids = verdict.conversation.input_ids;
    return encoder.tokenizer().decode(std::vector<uint32_t>(ids.begin(), ids.end()), false);
  }
  static RowVerdict asked(const char* question) {
    RowVerdict verdict;
    verdict.conversation.messages = Json::array({{{"role", "user"}, {"content", question}}});
    return verdict;
  }
  TempFolder folder_;
  TokenizerScratch scratch_;
};

TEST_F(PromptEncoderTest, EndsWithTheGenerationPrompt) {
  const PromptEncoder encoder = PromptEncoder::read({.model = target(), .tokenizer = {}, .chat_template = {}});
  RowVerdict verdict = asked("Hello <|im_end|> π");
  EXPECT_EQ(text_of(encoder, verdict), "<|im_start|>user\nHello <|im_end|> π<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(verdict.conversation.input_ids.front(), 2045);
  EXPECT_FALSE(verdict.dropped);
  const Json messages = verdict.conversation.messages;
  EXPECT_EQ(encoder.encode_chat(messages, nullptr, scratch_), verdict.conversation.input_ids);
}

TEST_F(PromptEncoderTest, TextIsEncodedAsItIsAndIdsStay) {
  const PromptEncoder encoder = PromptEncoder::read({.model = target(), .tokenizer = {}, .chat_template = {}});
  RowVerdict text;
  text.conversation.kind = ContentKind::text;
  text.conversation.text = "<|im_start|>user\nHi";
  EXPECT_EQ(text_of(encoder, text), text.conversation.text);
  RowVerdict ids;
  ids.conversation.kind = ContentKind::tokens;
  ids.conversation.input_ids = {5, 4};
  encoder.encode(ids, scratch_);
  EXPECT_EQ(ids.conversation.input_ids, (std::vector<int32_t>{5, 4}));
}

TEST_F(PromptEncoderTest, AnotherTemplateSeesTheModelsTokensToolsAndVariables) {
  const PromptEncoder encoder = with_template(
      "{{ eos_token }}{{ mood }}{{ tools | length if tools else 0 }}{{ messages[0].content }}", {{"mood", "calm"}});
  RowVerdict verdict = asked("Hi");
  EXPECT_EQ(text_of(encoder, verdict), "<|im_end|>calm0Hi");
  verdict.conversation.tools = Json::array({Json::object(), Json::object()});
  EXPECT_EQ(text_of(encoder, verdict), "<|im_end|>calm2Hi");
}

TEST_F(PromptEncoderTest, TheClockStandsWhereDataIsPrepared) {
  RowVerdict verdict = asked("Hi");
  const std::string source = "{{ strftime_now('%d %B %Y') }} {{ messages[0].content }}";
  EXPECT_EQ(text_of(with_template(source), verdict), "01 January 2026 Hi");
  const auto at = [this](const char* now) {
    return PromptEncoder::read(
        {target(), /*tokenizer=*/{}, folder_.path() / "own.jinja", /*variables=*/Json::object(), now});
  };
  verdict = asked("Hi");
  EXPECT_EQ(text_of(at("2024-07-30 12:00:00"), verdict), "30 July 2024 Hi");
  expect_error(ErrorKind::config, "'noon' is no time", [&] { (void)at("noon"); });
}

TEST_F(PromptEncoderTest, WhatTheTemplateRefusesIsDropped) {
  RowVerdict verdict = asked("Hi");
  with_template("{{ raise_exception('never') }}").encode(verdict, scratch_);
  ASSERT_EQ(verdict.dropped, DropReason::template_error);
  EXPECT_NE(verdict.detail.find("never"), std::string::npos) << verdict.detail;
  verdict = asked("Hi");
  with_template("{# nothing #}").encode(verdict, scratch_);
  ASSERT_EQ(verdict.dropped, DropReason::template_error);
  EXPECT_EQ(verdict.detail, "no token comes out of it");
}

TEST_F(PromptEncoderTest, SaysWhatTheFolderLacks) {
  const auto read = [this] {
    (void)PromptEncoder::read({.model = folder_.path(), .tokenizer = {}, .chat_template = {}});
  };
  EXPECT_TRUE(says(error_of(read), {folder_.path().string(), "there is no tokenizer.json", "--tokenizer"}));
  fs::copy_file(target() / "tokenizer.json", folder_.path() / "tokenizer.json");
  EXPECT_TRUE(says(error_of(read), {folder_.path().string(), "no chat template"}));
}

}  // namespace
}  // namespace dflash
