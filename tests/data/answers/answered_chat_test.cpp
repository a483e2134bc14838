// Which questions of a conversation are asked, in which order, and what comes out.

#include "common/data/answers/answered_chat.h"

#include <gtest/gtest.h>

#include "common/data/rows/row_parser.h"

namespace dflash {
namespace {

/// As the rows of a file of prompts are read.
AnsweredChat chat_of(const std::string& row) {
  RowParser parser(RowUse::prompts);
  Line line;
  line.text = row;
  const RowVerdict verdict = parser.read(line, RowShape::messages);
  EXPECT_FALSE(verdict.dropped) << verdict.detail;
  return {verdict.conversation.messages, verdict.conversation.later_questions};
}

/// role:content of every message, one blank between two.
std::string words(const Json& messages) {
  std::string text;
  for (const Json& message : messages) {
    text +=
        (text.empty() ? "" : " ") + message["role"].get<std::string>() + ":" + message["content"].get<std::string>();
  }
  return text;
}

/// Answers every question with A1, A2, ...; gives what was asked, one line for each question.
std::vector<std::string> ask_all(AnsweredChat& chat) {
  std::vector<std::string> asked;
  while (chat.is_asking()) {
    asked.push_back(words(chat.messages()));
    chat.answer("A" + std::to_string(asked.size()), false);
  }
  return asked;
}

constexpr const char* kTwoTurns =
    R"({"messages": [{"role": "system", "content": "s", "name": "n"}, {"role": "user", "content": "q1"},
       {"role": "assistant", "content": "old1"}, {"role": "user", "content": "q2"},
       {"role": "assistant", "content": "old2"}]})";

TEST(AnsweredChat, EveryTurnIsAskedBehindTheNewAnswers) {
  AnsweredChat chat = chat_of(kTwoTurns);
  EXPECT_EQ(ask_all(chat), (std::vector<std::string>{"system:s user:q1", "system:s user:q1 assistant:A1 user:q2"}));
  EXPECT_EQ(words(chat.answered()), "system:s user:q1 assistant:A1 user:q2 assistant:A2");
  EXPECT_EQ(chat.answered()[0]["name"], "n");
  EXPECT_EQ(chat.answered()[2]["finish_reason"], "stop");
  EXPECT_EQ(chat.answers(), 2);
  EXPECT_FALSE(chat.ended_early());
}

TEST(AnsweredChat, QuestionsWithoutAnyAnswerAreAskedOneByOne) {
  AnsweredChat chat =
      chat_of(R"({"messages": [{"role": "user", "content": "q1"}, {"role": "user", "content": "q2"}]})");
  EXPECT_EQ(ask_all(chat), (std::vector<std::string>{"user:q1", "user:q1 assistant:A1 user:q2"}));
}

TEST(AnsweredChat, MessagesInARowAreOneQuestion) {
  AnsweredChat chat = chat_of(
      R"({"messages": [{"role": "user", "content": "q1"}, {"role": "assistant", "content": "o"},
         {"role": "assistant", "content": "o"}, {"role": "user", "content": "q2"}, {"role": "system", "content": "s"},
         {"role": "user", "content": "q3"}]})");
  EXPECT_EQ(ask_all(chat), (std::vector<std::string>{"user:q1", "user:q1 assistant:A1 user:q2 system:s user:q3"}));
}

TEST(AnsweredChat, AGreetingIsLeftOut) {
  AnsweredChat chat = chat_of(
      R"({"messages": [{"role": "system", "content": "s"}, {"role": "assistant", "content": "hello"},
         {"role": "user", "content": "q1"}]})");
  EXPECT_EQ(ask_all(chat), (std::vector<std::string>{"system:s user:q1"}));
}

TEST(AnsweredChat, EndsBeforeTheFirstResultOfATool) {
  AnsweredChat chat = chat_of(
      R"({"messages": [{"role": "user", "content": "q1"}, {"role": "assistant", "content": "o"},
         {"role": "user", "content": "q2"},
         {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}]},
         {"role": "tool", "content": "4"}, {"role": "assistant", "content": "four"}, {"role": "user", "content": "q3"}]})");
  EXPECT_EQ(ask_all(chat), (std::vector<std::string>{"user:q1", "user:q1 assistant:A1 user:q2"}));
  EXPECT_EQ(words(chat.answered()), "user:q1 assistant:A1 user:q2 assistant:A2");
  EXPECT_TRUE(chat.ended_early());
}

TEST(AnsweredChat, AResultThatComesFirstLeavesNothingToAsk) {
  AnsweredChat chat = chat_of(R"({"messages": [{"role": "tool", "content": "4"}, {"role": "user", "content": "q"}]})");
  EXPECT_FALSE(chat.is_asking());
  EXPECT_EQ(chat.answered(), Json::array());
}

TEST(AnsweredChat, ACutAnswerIsTheLast) {
  AnsweredChat chat = chat_of(kTwoTurns);
  chat.answer("and then", true);
  EXPECT_FALSE(chat.is_asking());
  EXPECT_TRUE(chat.ended_early());
  EXPECT_EQ(words(chat.answered()), "system:s user:q1 assistant:and then");
  EXPECT_EQ(chat.answered()[2]["finish_reason"], "length");
  AnsweredChat last = chat_of(kTwoTurns);
  last.answer("a", false);
  last.answer("b", true);
  EXPECT_FALSE(last.ended_early()) << "nothing was left out";
}

TEST(AnsweredChat, AQuestionThatIsNotAskedIsNotWritten) {
  AnsweredChat chat = chat_of(kTwoTurns);
  chat.answer("a", false);
  chat.end_early();
  EXPECT_FALSE(chat.is_asking());
  EXPECT_EQ(words(chat.answered()), "system:s user:q1 assistant:a");
}

TEST(AnsweredChat, OurReaderTakesTheAnswersBack) {
  AnsweredChat chat = chat_of(kTwoTurns);
  chat.answer("a", false);
  chat.answer("b", true);
  const std::string row = Json{{"messages", chat.answered()}}.dump();
  RowParser parser;
  Line line;
  line.text = row;
  const RowVerdict verdict = parser.read(line, RowShape::messages);
  ASSERT_FALSE(verdict.dropped) << verdict.detail;
  EXPECT_EQ(verdict.conversation.cut, (std::vector<bool>{false, false, false, false, true}));
}

}  // namespace
}  // namespace dflash
