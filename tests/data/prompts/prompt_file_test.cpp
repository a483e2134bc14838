// Rows read for their questions: every shape, whole rows and rows without an answer, and what is refused.
#include "common/data/prompts/prompt_file.h"

#include <gtest/gtest.h>

#include "tests/data/rows/row_files.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

Json turn(const char* role, const char* content) {
  return {{"role", role}, {"content", content}};
}

const Json kAsk = Json::array({turn("user", "Ask")});

class PromptFileTest : public ::testing::Test {
 protected:
  std::vector<PromptRow> read(const std::string& text, std::optional<RowShape> shape = std::nullopt) {
    write_text(path(), text);
    PromptFile file(path().string(), shape);
    std::vector<PromptRow> rows;
    for (PromptRow row; file.next(row);) rows.push_back(row);
    return rows;
  }
  PromptRow only(const std::string& row) {
    const std::vector<PromptRow> rows = read(row + "\n");
    EXPECT_EQ(rows.size(), 1U);
    return rows.at(0);
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "prompts.jsonl"; }
  TempFolder folder_;
};

TEST_F(PromptFileTest, SayTheSameInEveryDressWithAnAnswerOrWithout) {
  for (
      const char* row :
      {R"({"messages":[{"role":"user","content":"Ask"}]})",
       R"({"messages":[{"role":"user","content":"Ask"},{"role":"assistant","content":"Reply","weight":0}]})",
       R"({"messages":[{"role":"user","content":"Ask"},{"role":"assistant","content":"a"},{"role":"system","content":"b"}]})",
       R"({"conversations":[{"from":"human","value":"Ask"},{"from":"gpt","value":"Reply"}]})",
       R"({"conversations":[{"from":"human","value":"Ask"}]})", R"({"prompt":"Ask"})",
       R"({"prompt":"Ask","response":"Reply"})", R"({"prompt":"Ask","completion":"Reply"})",
       R"({"prompt":"Ask","completion":null})", R"({"prompt":[{"role":"user","content":"Ask"}]})",
       R"({"instruction":"Ask"})", R"({"instruction":"Ask","input":"","output":"Reply"})"}) {
    const PromptRow prompt = only(row);
    EXPECT_FALSE(prompt.verdict.dropped) << row << ": " << prompt.verdict.detail;
    EXPECT_EQ(prompt.verdict.conversation.messages, kAsk) << row;
    EXPECT_TRUE(prompt.verdict.conversation.later_questions.empty()) << row;
    EXPECT_EQ(prompt.verdict.conversation.trained.size(), 1U);
    EXPECT_EQ(prompt.verdict.conversation.cut.size(), 1U);
  }
}

TEST_F(PromptFileTest, EarlierTurnsToolsIdAndKindStay) {
  const PromptRow prompt = only(
      R"({"id":7,"kind":"code","system":"Be short.","finish_reason":["stop","length"],"tools":[{"name":"add"}],)"
      R"("messages":[{"role":"user","content":"Ask"},{"role":"assistant","content":"","tool_calls":[{"name":"add",)"
      R"("arguments":{}}]},{"role":"tool","content":"3"},{"role":"assistant","content":"Three."}]})");
  ASSERT_FALSE(prompt.verdict.dropped) << prompt.verdict.detail;
  const Conversation& conversation = prompt.verdict.conversation;
  ASSERT_EQ(conversation.messages.size(), 4U);
  EXPECT_EQ(conversation.messages[0], turn("system", "Be short."));
  EXPECT_EQ(conversation.messages[2]["tool_calls"][0]["function"]["name"], "add");
  EXPECT_EQ(conversation.messages[3], turn("tool", "3"));
  EXPECT_EQ(conversation.tools[0]["function"]["name"], "add");
  EXPECT_EQ(conversation.id, "7");
  EXPECT_EQ(prompt.kind, "code");
  EXPECT_EQ(only(R"({"prompt":"Ask","kind":null})").kind, "");
}

TEST_F(PromptFileTest, QuestionsWithoutAnyAnswerAreAskedOneByOne) {
  const PromptRow prompt = only(
      R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"1"},{"role":"user","content":"2"},)"
      R"({"role":"user","content":"3"}]})");
  EXPECT_EQ(prompt.verdict.conversation.messages, Json::array({turn("system", "s"), turn("user", "1")}));
  EXPECT_EQ(prompt.verdict.conversation.later_questions, (std::vector<Json>{turn("user", "2"), turn("user", "3")}));
  // With an answer among them it is a conversation as it was held.
  const PromptRow held = only(
      R"({"messages":[{"role":"user","content":"1"},{"role":"user","content":"2"},{"role":"assistant","content":"a"},)"
      R"({"role":"user","content":"3"}]})");
  EXPECT_EQ(held.verdict.conversation.messages.size(), 4U);
  EXPECT_TRUE(held.verdict.conversation.later_questions.empty());
}

TEST_F(PromptFileTest, TextAndIdsAreTakenAsTheyAre) {
  const PromptRow text = only(R"({"text":"<s>Ask</s>"})");
  EXPECT_EQ(text.verdict.conversation.kind, ContentKind::text);
  EXPECT_EQ(text.verdict.conversation.text, "<s>Ask</s>");
  const PromptRow ids = only(R"({"prompt_ids":[3,0,4],"prompt":"Ask"})");
  EXPECT_EQ(ids.verdict.conversation.kind, ContentKind::tokens);
  EXPECT_EQ(ids.verdict.conversation.input_ids, (std::vector<int32_t>{3, 0, 4}));
  const PromptRow masked = only(R"({"input_ids":[9,8,7,6,5,4],"loss_mask":[0,1,0,1,1,0]})");
  EXPECT_EQ(masked.verdict.conversation.input_ids, (std::vector<int32_t>{9, 8, 7}));
  EXPECT_TRUE(masked.verdict.conversation.loss_mask.empty());
}

TEST_F(PromptFileTest, RefusesWithReasonAndLine) {
  const std::string deep = std::string(70, '[') + std::string(70, ']');
  const std::vector<std::tuple<std::string, DropReason, std::string>> refusals{
      {R"({"messages":[{"role":"assistant","content":"Hi"}]})", DropReason::no_question, "no message of a user"},
      {R"({"messages":[{"role":"system","content":"Hi"}]})", DropReason::no_question, "no message of a user"},
      {R"({"messages":[]})", DropReason::empty_conversation, "no message"},
      {R"({"messages":[{"role":"user","content":" "},{"role":"assistant","content":"Hi"}]})",
       DropReason::blank_conversation, "blank"},
      {R"({"prompt":null})", DropReason::blank_conversation, "blank"},
      {R"({"prompt_ids":[]})", DropReason::empty_conversation, "prompt_ids is empty"},
      {R"({"prompt_ids":[1,-1]})", DropReason::bad_tokens, "prompt_ids[1]"},
      {R"({"prompt_ids":[1.5]})", DropReason::bad_tokens, "prompt_ids[0] is no integer"},
      {R"({"prompt_ids":3})", DropReason::bad_tokens, "no list"},
      {R"({"prompt":"Ask","kind":3})", DropReason::bad_message, "\"kind\" must be a string"},
      {R"({"prompt":"Ask","kind":)" + deep + "}", DropReason::bad_json, "nests deeper"},
      {R"({"input_ids":[1],"loss_mask":[1]})", DropReason::no_question, "nothing stands before"},
      {R"({"input_ids":[1,2],"loss_mask":[0,0]})", DropReason::no_question, "no token is supervised"},
      {R"({"input_ids":[1,2]})", DropReason::bad_tokens, "'loss_mask' is missing"},
      {R"({"question":"Ask"})", DropReason::no_conversation, "fields of a prompt"},
      {R"([1])", DropReason::not_an_object, "not an object"},
      {R"({"prompt":)", DropReason::bad_json, "not JSON"}};
  for (const auto& [row, reason, detail] : refusals) {
    const PromptRow prompt = only("\n" + row);
    ASSERT_TRUE(prompt.verdict.dropped) << row;
    EXPECT_STREQ(drop_reason_name(*prompt.verdict.dropped), drop_reason_name(reason)) << row;
    EXPECT_NE(prompt.verdict.detail.find(detail), std::string::npos) << prompt.verdict.detail;
    EXPECT_EQ(prompt_row_error(PromptFile(path().string()), prompt),
              path().string() + ":2: " + drop_reason_name(reason) + ": " + prompt.verdict.detail);
  }
}

TEST_F(PromptFileTest, TheShapeIsSaidAndMayBeGiven) {
  write_text(path(), "{\"prompt\":\"Ask\",\"text\":\"raw\"}\n");
  EXPECT_EQ(PromptFile(path().string()).description(),
            path().string() + ": rows are read as text (1 of the first 1 have that shape)");
  EXPECT_EQ(
      read("{\"prompt\":\"Ask\",\"text\":\"raw\"}\n", RowShape::prompt_response).at(0).verdict.conversation.messages,
      kAsk);
}

TEST_F(PromptFileTest, ReadsCompressedFiles) {
  const std::string row = "{\"prompt\":\"Ask\"}\n";
  for (const std::string& packed : {gzipped(row), zstd_packed(row)}) {
    const std::vector<PromptRow> rows = read(packed);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].verdict.conversation.messages, kAsk);
  }
}

}  // namespace
}  // namespace dflash
