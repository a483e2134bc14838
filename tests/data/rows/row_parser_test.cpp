// Every shape on small rows of our own: what comes out, and what is refused with which words.
#include "common/data/rows/row_parser.h"

#include <gtest/gtest.h>

#include "tests/data/rows/row_files.h"

namespace dflash {
namespace {

Json turn(const char* role, const char* content) {
  return {{"role", role}, {"content", content}};
}

const Json kAskAndReply = Json::array({turn("user", "Ask"), turn("assistant", "Reply")});

Conversation kept(const std::string& row, RowShape shape) {
  RowVerdict verdict = verdict_of(row, shape);
  EXPECT_FALSE(verdict.dropped) << drop_reason_name(*verdict.dropped) << ": " << verdict.detail;
  return verdict.conversation;
}

struct Refusal {
  std::string row;
  DropReason reason;
  std::string detail;
};

void expect_refusals(RowShape shape, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    const RowVerdict verdict = verdict_of(refusal.row, shape);
    ASSERT_TRUE(verdict.dropped) << refusal.row;
    EXPECT_STREQ(drop_reason_name(*verdict.dropped), drop_reason_name(refusal.reason)) << refusal.row;
    EXPECT_NE(verdict.detail.find(refusal.detail), std::string::npos) << verdict.detail << " lacks " << refusal.detail;
  }
}

std::string chat(const std::string& answer) {
  return R"({"messages":[{"role":"user","content":"Ask"},)" + answer + "]}";
}

TEST(ChatRows, SayTheSameInEveryDress) {
  const std::vector<std::pair<RowShape, std::string>> rows{
      {RowShape::messages, chat(R"({"role":"assistant","content":"Reply"})")},
      {RowShape::messages, chat(R"({"role":"assistant","content":"Reply","name":null,"tool_calls":null})")},
      {RowShape::messages,
       chat(R"({"role":"model","content":[{"type":"text","value":"Re"},{"type":"text","text":"ply"}]})")},
      {RowShape::conversations, R"({"conversations":[{"from":"human","value":"Ask"},{"from":"gpt","value":"Reply"}]})"},
      {RowShape::messages, R"({"conversations":[{"from":"user","value":"Ask"},{"from":"chatgpt","value":"Reply"}]})"},
      {RowShape::conversations, chat(R"({"role":"assistant","content":"Reply"})")},
      {RowShape::prompt_response, R"({"response":"Reply","prompt":"Ask"})"},
      {RowShape::prompt_completion, R"({"prompt":"Ask","completion":"Reply"})"},
      {RowShape::prompt_completion,
       R"({"prompt":[{"role":"user","content":"Ask"}],"completion":[{"role":"assistant","content":"Reply"}]})"},
      {RowShape::instruction, R"({"instruction":"Ask","input":"","output":"Reply"})"},
      {RowShape::instruction, R"({"instruction":"Ask","output":"Reply","history":[],"system":" "})"}};
  for (const auto& [shape, row] : rows) {
    const Conversation conversation = kept(row, shape);
    EXPECT_EQ(conversation.messages, kAskAndReply) << row;
    EXPECT_TRUE(conversation.tools.is_null());
    EXPECT_EQ(conversation.trained, (std::vector<bool>{true, true}));
  }
}

TEST(ChatRows, AlpacaHasInputHistoryAndSystem) {
  const Conversation conversation = kept(
      R"({"instruction":"Add.","input":"1 2","output":"3","history":[["Hi","Hello"]],"system":"Be short.","id":7})",
      RowShape::instruction);
  EXPECT_EQ(conversation.messages,
            Json::array({turn("system", "Be short."), turn("user", "Hi"), turn("assistant", "Hello"),
                         turn("user", "Add.\n1 2"), turn("assistant", "3")}));
  EXPECT_EQ(conversation.id, "7");
}

TEST(ChatRows, UnknownFieldsOfAMessageStay) {
  const Conversation conversation =
      kept(chat(R"({"reasoning_content":"think","content":"Reply","role":"assistant","finish_reason":"length"})"),
           RowShape::messages);
  EXPECT_EQ(
      conversation.messages[1],
      (Json{{"role", "assistant"}, {"content", "Reply"}, {"reasoning_content", "think"}, {"finish_reason", "length"}}));
}

TEST(ChatRows, WeightsTakeAnswersOutOfTraining) {
  const std::string row =
      R"({"messages":[{"role":"user","content":"a","loss_weight":0.0},{"role":"assistant","content":"b","weight":0},)"
      R"({"role":"assistant","content":"c","loss_weight":1.0},{"role":"assistant","content":"d","train":false}]})";
  const RowVerdict verdict = verdict_of(row, RowShape::messages);
  EXPECT_EQ(verdict.conversation.trained, (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(verdict.notes, std::vector<RowNote>{RowNote::untrained_answers});
}

TEST(ChatRows, CutAnswersAreKnownByTheirFinishReason) {
  const std::string turns =
      R"({"messages":[{"role":"assistant","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":"c"}])";
  const auto cut_of = [&turns](const std::string& column) {
    return kept(turns + ",\"finish_reason\":" + column + "}", RowShape::messages).cut;
  };
  EXPECT_EQ(cut_of(R"(["length","stop"])"), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(cut_of(R"("length")"), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(cut_of("null"), (std::vector<bool>{false, false, false}));
  const std::string own = chat(R"({"role":"assistant","content":"a","finish_reason":"length"})");
  EXPECT_EQ(kept(own, RowShape::messages).cut, (std::vector<bool>{false, true}));
  EXPECT_EQ(verdict_of(own, RowShape::messages).notes, std::vector<RowNote>{RowNote::cut_answers});
  expect_refusals(RowShape::messages, {{turns + R"(,"finish_reason":["stop"]})", DropReason::bad_message,
                                        "finish_reason has 1 words for 2 answers"}});
}

TEST(ChatRows, AThoughtThatOnlyEndsIsNoted) {
  EXPECT_EQ(verdict_of(chat(R"({"role":"assistant","content":"so\n</think>\nyes"})"), RowShape::messages).notes,
            std::vector<RowNote>{RowNote::orphan_close_think});
  EXPECT_TRUE(
      verdict_of(chat(R"({"role":"assistant","content":"<think>so</think>yes"})"), RowShape::messages).notes.empty());
}

TEST(ChatRows, ToolCallsAreObjectsInEveryDress) {
  const Json function{{"name", "add"}, {"arguments", {{"a", 1}, {"b", 2.5}}}};
  const Json call{{"type", "function"}, {"function", function}};
  const std::vector<std::pair<RowShape, std::string>> rows{
      {RowShape::messages,
       chat(
           R"({"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"add","arguments":"{\"a\": 1, \"b\": 2.5}"}}]})")},
      {RowShape::messages,
       chat(
           R"({"role":"assistant","tool_calls":[{"type":"function","function":{"name":"add","arguments":{"a":1,"b":2.5}}}]})")},
      {RowShape::messages,
       chat(R"({"role":"assistant","content":"","tool_calls":[{"name":"add","arguments":{"a":1,"b":2.5}}]})")},
      {RowShape::conversations,
       R"({"conversations":[{"from":"human","value":"Ask"},{"from":"function_call","value":"{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2.5}}"}]})"},
      {RowShape::conversations,
       R"({"conversations":[{"from":"human","value":"Ask"},{"from":"function_call","value":"[{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2.5}}]"}]})"}};
  for (const auto& [shape, row] : rows) {
    EXPECT_EQ(kept(row, shape).messages[1],
              (Json{{"role", "assistant"}, {"content", ""}, {"tool_calls", Json::array({call})}}))
        << row;
  }
}

TEST(ChatRows, ACallWithoutArgumentsHasNone) {
  const Conversation conversation = kept(
      chat(
          R"({"role":"assistant","tool_calls":[{"id":"x","function":{"name":"now","arguments":""}}]},{"role":"tool","content":"noon"})"),
      RowShape::messages);
  EXPECT_EQ(conversation.messages[1]["tool_calls"],
            Json::parse(R"([{"id":"x","function":{"name":"now","arguments":{}}}])"));
  EXPECT_EQ(conversation.messages[2], turn("tool", "noon"));
}

TEST(ChatRows, ToolsAreAListOfSchemasInEveryDress) {
  const Json expected = Json::parse(R"([{"type":"function","function":{"name":"add","parameters":{}}}])");
  const std::string messages =
      R"({"messages":[{"role":"user","content":"Ask"},{"role":"assistant","content":"Reply"}],"tools":)";
  for (const char* tools : {R"([{"type":"function","function":{"name":"add","parameters":{}}}])",
                            R"([{"name":"add","parameters":{}}])", R"("[{\"name\": \"add\", \"parameters\": {}}]")"}) {
    EXPECT_EQ(kept(messages + tools + "}", RowShape::messages).tools, expected) << tools;
  }
  for (const char* none : {"null", "\"\"", "[]", "\"[]\"", "\"null\""}) {
    EXPECT_TRUE(kept(messages + none + "}", RowShape::messages).tools.is_null()) << none;
  }
  expect_refusals(RowShape::messages, {{messages + "\"no json\"}", DropReason::bad_tools, "tools: no JSON text"},
                                       {messages + "{}}", DropReason::bad_tools, "tools is no list: {}"},
                                       {messages + "[1]}", DropReason::bad_tools, "tools[0] is no object: 1"}});
}

TEST(ChatRows, RefusalsNameThePlace) {
  expect_refusals(
      RowShape::messages,
      {{R"({"messages":"[]"})", DropReason::no_conversation, "messages is no list"},
       {R"({"messages":[]})", DropReason::empty_conversation, "no message"},
       {R"({"messages":["hi"]})", DropReason::bad_message, R"(messages[0] is no object: "hi")"},
       {chat(R"({"content":"b"})"), DropReason::bad_message, "messages[1] has no role"},
       {chat(R"({"role":3,"content":"b"})"), DropReason::bad_message, "messages[1] has no role"},
       {chat(R"({"role":"assistant"})"), DropReason::bad_message, "messages[1] has no content"},
       {chat(R"({"role":"critic","content":"b"})"), DropReason::unknown_role, R"(messages[1] is said by "critic")"},
       {chat(R"({"role":"assistant","content":4})"), DropReason::unsupported_content, "messages[1].content is neither"},
       {chat(R"({"role":"assistant","content":{"a":1}})"), DropReason::unsupported_content, R"({"a":1})"},
       {chat(R"({"role":"assistant","content":[{"type":"image","url":"x"}]})"), DropReason::unsupported_content,
        "messages[1].content[0] is no part of text"},
       {chat(R"({"role":"assistant","content":["text"]})"), DropReason::unsupported_content, "no part of text"},
       {chat(R"({"role":"assistant","content":[{"type":"text","text":5}]})"), DropReason::unsupported_content, "5"},
       {chat(R"({"role":"assistant","content":"b","weight":0.5})"), DropReason::bad_message, "messages[1].weight"},
       {chat(R"({"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]})"), DropReason::bad_tool_call,
        "messages[1].tool_calls[0] has no name"},
       {chat(R"({"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{"}}]})"),
        DropReason::bad_tool_call, "arguments: no JSON text"},
       {chat(R"({"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"[1]"}}]})"),
        DropReason::bad_tool_call, "arguments is no object"},
       {chat(R"({"role":"assistant","tool_calls":{"name":"f"}})"), DropReason::bad_tool_call, "is no list"},
       {chat(R"({"role":"system","content":"be"})"), DropReason::no_assistant, "no message of the assistant"},
       {chat(R"({"role":"assistant","content":"b\udc00"})"), DropReason::bad_json, "not JSON"},
       {R"({"prompt":"a","response":"b"})", DropReason::other_shape, "looks like prompt_response"},
       {R"({"q":"a","a":"b"})", DropReason::no_conversation, R"(it has ["q","a"])"}});
  expect_refusals(RowShape::conversations,
                  {{R"({"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"add 1"}]})",
                    DropReason::bad_tool_call, "conversations[1]: no JSON text"}});
  expect_refusals(RowShape::instruction,
                  {{R"({"instruction":"a","output":"b","history":["x"]})", DropReason::bad_message, "history[0]"},
                   {R"({"instruction":7,"output":"b"})", DropReason::unsupported_content, "instruction is neither"}});
}

TEST(ChatRows, ASystemColumnAndASystemMessageAreOneTooMany) {
  const std::string row =
      R"({"system":"A","messages":[{"role":"system","content":"B"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]})";
  expect_refusals(RowShape::messages, {{row, DropReason::bad_message, "a system column beside a system message"}});
}

TEST(ChatRows, BlankMeansEveryKindOfWhiteSpace) {
  const auto blank = [](const std::string& text) {
    return chat(R"({"role":"assistant","content":")" + text + R"("})");
  };
  const std::string all =
      R"({"messages":[{"role":"user","content":"\u3000\u00a0"},{"role":"assistant","content":"\n\u2003"}]})";
  expect_refusals(RowShape::messages, {{all, DropReason::blank_conversation, "every message is blank"}});
  EXPECT_FALSE(verdict_of(blank("\\u200b"), RowShape::messages).dropped);
  EXPECT_FALSE(verdict_of(blank(""), RowShape::messages).dropped) << "the question is not blank";
}

TEST(PlainRows, TextStaysAsItIs) {
  const Conversation conversation = kept(R"({"text":"<|im_start|>user\na","tools":"[]","id":"t"})", RowShape::text);
  EXPECT_EQ(conversation.kind, ContentKind::text);
  EXPECT_EQ(conversation.text, "<|im_start|>user\na");
  EXPECT_EQ(conversation.id, "t");
  expect_refusals(RowShape::text, {{R"({"text":" \n"})", DropReason::blank_conversation, "blank"},
                                   {R"({"text":null})", DropReason::empty_conversation, "null"},
                                   {R"({"text":["a"]})", DropReason::unsupported_content, "no text"}});
}

TEST(PlainRows, TokenIdsStayAsTheyAre) {
  const Conversation conversation = kept(R"({"input_ids":[5,0,151643],"loss_mask":[0,1,true]})", RowShape::token_ids);
  EXPECT_EQ(conversation.kind, ContentKind::tokens);
  EXPECT_EQ(conversation.input_ids, (std::vector<int32_t>{5, 0, 151643}));
  EXPECT_EQ(conversation.loss_mask, (std::vector<uint8_t>{0, 1, 1}));
  expect_refusals(RowShape::token_ids,
                  {{R"({"input_ids":[1]})", DropReason::bad_tokens, "'loss_mask' is missing"},
                   {R"({"input_ids":[],"loss_mask":[]})", DropReason::empty_conversation, "input_ids is empty"},
                   {R"({"input_ids":[-1],"loss_mask":[1]})", DropReason::bad_tokens, "input_ids[0] is outside"},
                   {R"({"input_ids":[1,2],"loss_mask":[1]})", DropReason::bad_tokens, "2 input_ids but 1"}});
}

TEST(PlainRows, OfAKeyThatStandsTwiceTheLastCounts) {
  EXPECT_EQ(kept(R"({"text":"first","text":"last"})", RowShape::text).text, "last");
  EXPECT_EQ(kept(R"({"messages":[{"role":"user","role":"assistant","content":"a"}]})", RowShape::messages).messages,
            Json::array({turn("assistant", "a")}));
}

}  // namespace
}  // namespace dflash
