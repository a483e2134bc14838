// The samples of shared/data/formats beside the checkout, when they are there: the same conversations in every dress.
#include <gtest/gtest.h>

#include <map>

#include "tests/data/rows/row_files.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

std::filesystem::path samples() {
  return test::source_dir().parent_path() / "shared/data";
}

class FormatSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(samples() / "formats")) GTEST_SKIP() << samples() << " is not there";
  }

  static std::vector<Conversation> all_of(const std::string& name, RowShape shape, size_t rows) {
    const auto path = samples() / "formats" / name;
    EXPECT_EQ(RowFile(path.string()).shape(), shape) << name;
    std::vector<Conversation> conversations;
    for (auto& [line, verdict] : verdicts_of(path)) {
      EXPECT_FALSE(verdict.dropped) << name << ":" << line << ": " << verdict.detail;
      conversations.push_back(std::move(verdict.conversation));
    }
    EXPECT_EQ(conversations.size(), rows) << name;
    return conversations;
  }
};

/// Roles and contents, without other fields and leading system turns: what is equal in every dress.
std::string spoken(const Json& messages) {
  std::string text;
  for (const Json& message : messages) {
    if (message["role"] == "system") continue;
    text += message["role"].get<std::string>() + ": " + message["content"].get<std::string>() + "\n";
  }
  return text;
}

TEST_F(FormatSamples, EveryFileIsKnownAndEveryRowKept) {
  all_of("sharegpt.jsonl", RowShape::conversations, 40);
  all_of("openai_tools.jsonl", RowShape::messages, 42);
  all_of("prompt_response.jsonl", RowShape::prompt_response, 40);
  all_of("alpaca.jsonl", RowShape::instruction, 50);
  for (const Conversation& row : all_of("preformatted.jsonl", RowShape::text, 30)) {
    EXPECT_TRUE(row.text.starts_with("<|im_start|>")) << row.id;
  }
}

TEST_F(FormatSamples, FourDressesOfTheSameChatsSayTheSame) {
  std::map<std::string, int> known;
  for (const auto& [line, verdict] : verdicts_of(samples() / "smollm2_chat.jsonl")) {
    known[spoken(verdict.conversation.messages)] = 0;
  }
  for (const auto& [name, shape, rows] :
       {std::tuple{"conversations.jsonl", RowShape::conversations, size_t{36}},
        std::tuple{"openai_messages.jsonl", RowShape::messages, size_t{35}},
        std::tuple{"llamafactory_v1.jsonl", RowShape::messages, size_t{30}},
        std::tuple{"trl_prompt_completion.jsonl", RowShape::prompt_completion, size_t{35}}}) {
    for (const Conversation& row : all_of(name, shape, rows)) {
      EXPECT_TRUE(known.contains(spoken(row.messages))) << name << ": " << row.messages;
    }
  }
}

TEST_F(FormatSamples, AnswersThatALimitCutAreKnown) {
  size_t cut = 0;
  for (const auto& [line, verdict] : verdicts_of(samples() / "smollm2_chat.jsonl")) {
    for (const bool flag : verdict.conversation.cut) cut += flag ? 1 : 0;
  }
  EXPECT_EQ(cut, 132U);
}

TEST_F(FormatSamples, ReasoningTravelsBesideTheAnswer) {
  for (const Conversation& row : all_of("reasoning.jsonl", RowShape::messages, 40)) {
    for (const Json& message : row.messages) {
      EXPECT_EQ(message.contains("reasoning_content"), message["role"] == "assistant") << message;
    }
  }
}

TEST_F(FormatSamples, CallsOfShareGptAreToolCallsAndAnswersOfTools) {
  size_t calls = 0, answers = 0;
  for (const Conversation& row : all_of("sharegpt_tools.jsonl", RowShape::conversations, 30)) {
    for (const Json& message : row.messages) {
      answers += message["role"] == "tool" ? 1 : 0;
      if (!message.contains("tool_calls")) continue;
      ++calls;
      const Json& function = message["tool_calls"][0]["function"];
      EXPECT_TRUE(function["name"].is_string() && function["arguments"].is_object()) << message;
    }
    if (row.tools.is_null()) continue;
    for (const Json& tool : row.tools) EXPECT_TRUE(tool["function"]["name"].is_string()) << tool;
  }
  EXPECT_EQ(calls, 42U);
  EXPECT_EQ(answers, 42U);
}

TEST_F(FormatSamples, ReadyTokensAreCounted) {
  size_t tokens = 0, supervised = 0;
  for (const Conversation& row : all_of("pretokenized.jsonl", RowShape::token_ids, 43)) {
    tokens += row.input_ids.size();
    for (const uint8_t flag : row.loss_mask) supervised += flag;
  }
  EXPECT_EQ(tokens, 6985U);
  EXPECT_EQ(supervised, 4649U);
}

}  // namespace
}  // namespace dflash
