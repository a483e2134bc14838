// The way of rows through the queue, with answers given by hand: order, turns, limits, waiting threads.

#include "common/eval/answer_queue.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kEnd = 2046;  // of a turn, with the quick start's tokenizer

/// "q1|q2": a conversation of these questions.
std::string row_of(const std::string& id, const std::string& questions) {
  Json messages = Json::array();
  for (size_t begin = 0; begin <= questions.size();) {
    const size_t end = std::min(questions.find('|', begin), questions.size());
    messages.push_back({{"role", "user"}, {"content", questions.substr(begin, end - begin)}});
    messages.push_back({{"role", "assistant"}, {"content", "old"}});
    begin = end + 1;
  }
  return Json{{"id", id}, {"messages", messages}}.dump() + "\n";
}

class AnswerQueueTest : public ::testing::Test {
 protected:
  void write_rows(const std::string& rows) { write_text(folder_.path() / "rows.jsonl", rows); }
  AnswerQueue& open(AnswerRules rules = {50, 4096, 2048}, const fs::path& chat_template = {}) {
    encoder_.emplace(PromptEncoder::read({.model = test::source_dir() / "deploy/quickstart-data/target",
                                          .tokenizer = {},
                                          .chat_template = chat_template,
                                          .variables = Json::object()}));
    prompts_.emplace(std::vector<std::string>{(folder_.path() / "rows.jsonl").string()}, std::nullopt);
    file_.emplace(folder_.path() / "out.jsonl", Json::object());
    return queue_.emplace(*prompts_, *encoder_, *file_, rules);
  }
  [[nodiscard]] std::vector<int64_t> ids_of(const std::string& text) {
    Encoding encoding;
    encoder_->tokenizer().encode(text, {.special_tokens = false}, scratch_, encoding);
    return {encoding.ids.begin(), encoding.ids.end()};
  }
  void answer(const PlainPrompt& prompt, const std::string& text) {
    std::vector<int64_t> ids = ids_of(text);
    ids.push_back(kEnd);
    queue_->take({prompt.row, prompt.turn, ids, true});
  }
  [[nodiscard]] std::string text_of(const PlainPrompt& prompt) const {
    return encoder_->tokenizer().decode(std::vector<uint32_t>(prompt.ids.begin(), prompt.ids.end()), false);
  }
  [[nodiscard]] std::vector<Json> lines() const {
    std::vector<Json> lines;
    std::istringstream text(read_text(folder_.path() / "out.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(parse_json(line, "line"));
    return lines;
  }

  TempFolder folder_;
  TokenizerScratch scratch_;
  std::optional<PromptEncoder> encoder_;
  std::optional<PromptList> prompts_;
  std::optional<AnswerFile> file_;
  std::optional<AnswerQueue> queue_;
};

TEST_F(AnswerQueueTest, RowsAreWrittenInTheirOrder) {
  write_rows(row_of("a", "one") + row_of("b", "two") + row_of("c", "three"));
  AnswerQueue& queue = open();
  const PlainPrompt a = *queue.next(true), b = *queue.next(false), c = *queue.next(false);
  EXPECT_FALSE(queue.next(false));
  EXPECT_EQ(text_of(b), "<|im_start|>user\ntwo<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(b.most_new_tokens, 50);
  answer(c, "C");
  answer(b, "B");
  EXPECT_TRUE(lines().empty());
  answer(a, "A");
  ASSERT_EQ(lines().size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lines()[i]["row"], i);
    EXPECT_EQ(lines()[i]["id"], std::string(1, static_cast<char>('a' + i)));
    EXPECT_EQ(lines()[i]["messages"][1]["content"], std::string(1, static_cast<char>('A' + i)));
  }
  EXPECT_FALSE(queue.next(true)) << "the end";
}

TEST_F(AnswerQueueTest, ATurnIsAskedBehindTheNewAnswer) {
  write_rows(row_of("a", "one|two") + row_of("b", "three"));
  AnswerQueue& queue = open();
  const PlainPrompt first = *queue.next(true);
  answer(first, "ONE");
  const PlainPrompt second = *queue.next(true);
  EXPECT_EQ(second.row, 0U) << "before other rows";
  EXPECT_EQ(second.turn, 1U);
  EXPECT_EQ(text_of(second),
            "<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\nONE<|im_end|>\n<|im_start|>user\ntwo<|im_end|>\n"
            "<|im_start|>assistant\n");
  answer(second, "TWO");
  EXPECT_EQ(lines().at(0)["messages"].size(), 4U);
  EXPECT_EQ(queue.counts().answers, 2);
  EXPECT_EQ(queue.counts().rows_answered, 1);
}

TEST_F(AnswerQueueTest, RowsThatCannotBeUsedAreCounted) {
  write_rows("broken\n" + row_of("a", "one") + row_of("long", std::string(400, 'x')) +
             R"({"messages": [{"role": "tool", "content": "4"}, {"role": "user", "content": "q"}]})" + "\n");
  AnswerQueue& queue = open({50, 40, 2048});
  const PlainPrompt a = *queue.next(true);
  EXPECT_EQ(a.row, 1U);
  EXPECT_EQ(a.most_new_tokens, 40 - static_cast<int64_t>(a.ids.size())) << "the room that is left";
  answer(a, "A");
  EXPECT_FALSE(queue.next(true));
  EXPECT_EQ(lines().at(0)["row"], 1);
  const RowLedger ledger = queue.ledger();
  EXPECT_EQ(ledger.rows(), 4);
  EXPECT_EQ(ledger.kept(), 1);
  for (const DropReason reason : {DropReason::bad_json, DropReason::prompt_too_long, DropReason::no_question}) {
    EXPECT_EQ(ledger.dropped(reason), 1) << drop_reason_name(reason);
  }
  EXPECT_EQ(queue.counts().rows_done, 4);
}

TEST_F(AnswerQueueTest, ATemplateThatRefusesARowEndsNothing) {
  write_rows(row_of("a", "bad") + row_of("b", "one|bad") + row_of("c", "two"));
  write_text(folder_.path() / "own.jinja",
             "{% for m in messages %}{% if m.content == 'bad' %}{{ raise_exception('no') }}{% endif %}{{ m.content }}"
             "{% endfor %}");
  AnswerQueue& queue = open({50, 4096, 2048}, folder_.path() / "own.jinja");
  answer(*queue.next(true), "B");
  answer(*queue.next(true), "C");
  EXPECT_FALSE(queue.next(true));
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0]["messages"].size(), 2U) << "the question that was refused is not there";
  EXPECT_EQ(lines()[1]["id"], "c");
  EXPECT_EQ(queue.ledger().dropped(DropReason::template_error), 1);
  EXPECT_EQ(queue.counts().rows_ended_early, 1);
}

TEST_F(AnswerQueueTest, TokensThatTheModelLacksAreARowsFault) {
  write_rows(row_of("a", "one"));
  AnswerQueue& queue = open({50, 4096, 2000});  // <|im_start|> is 2045
  EXPECT_FALSE(queue.next(true));
  EXPECT_EQ(queue.ledger().dropped(DropReason::bad_tokens), 1);
}

TEST_F(AnswerQueueTest, ALimitThatCutsEndsTheConversation) {
  write_rows(row_of("a", "one|two"));
  AnswerQueue& queue = open();
  const PlainPrompt prompt = *queue.next(true);
  queue.take({prompt.row, prompt.turn, ids_of("and so on"), false});
  EXPECT_FALSE(queue.next(true));
  EXPECT_EQ(lines().at(0)["messages"].size(), 2U);
  EXPECT_EQ(lines()[0]["messages"][1]["content"], "and so on") << "nothing is taken off";
  EXPECT_EQ(lines()[0]["messages"][1]["finish_reason"], "length");
  EXPECT_EQ(queue.counts().cut_answers, 1);
  EXPECT_EQ(queue.counts().rows_ended_early, 1);
}

TEST_F(AnswerQueueTest, SpecialTokensInsideAnAnswerAreCounted) {
  write_rows(row_of("a", "one"));
  AnswerQueue& queue = open();
  answer(*queue.next(true), "A<|im_start|>B");
  EXPECT_EQ(lines().at(0)["messages"][1]["content"], "AB");
  EXPECT_EQ(queue.counts().answers_with_special_tokens, 1);
}

TEST_F(AnswerQueueTest, AThoughtThatTheTemplateBeginsStandsInTheAnswer) {
  write_rows(row_of("a", "one") + row_of("b", "<think>"));
  write_text(folder_.path() / "own.jinja",
             "{% for m in messages %}{{ m.role + m.content }}{% endfor %}"
             "{% if add_generation_prompt and messages[0].content == 'one' %}{{ 'assistant<think>\\n' }}{% else %}"
             "{{ 'assistant' }}{% endif %}");
  AnswerQueue& queue = open({50, 4096, 2048}, folder_.path() / "own.jinja");
  answer(*queue.next(true), "hm</think>A");
  answer(*queue.next(true), "B");
  EXPECT_EQ(lines().at(0)["messages"][1]["content"], "<think>\nhm</think>A");
  EXPECT_EQ(lines().at(1)["messages"][1]["content"], "B") << "a question that only speaks of it";
}

TEST_F(AnswerQueueTest, ReadsOnlySoFarAhead) {
  write_rows(row_of("a", "one") + row_of("b", "two") + row_of("c", "three"));
  AnswerQueue& queue = open({50, 4096, 2048, /*most_rows_ahead=*/2});
  const PlainPrompt a = *queue.next(true), b = *queue.next(false);
  EXPECT_FALSE(queue.next(false));
  answer(b, "B");
  EXPECT_FALSE(queue.next(false)) << "row 0 is still open";
  answer(a, "A");
  EXPECT_EQ(queue.next(false)->row, 2U);
}

TEST_F(AnswerQueueTest, AnIdleThreadWaitsForALaterTurn) {
  write_rows(row_of("a", "one|two"));
  AnswerQueue& queue = open();
  const PlainPrompt first = *queue.next(true);
  auto waiting = std::async(std::launch::async, [&] { return queue.next(true); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  answer(first, "ONE");
  const auto second = waiting.get();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->turn, 1U);
  auto last = std::async(std::launch::async, [&] { return queue.next(true); });
  answer(*second, "TWO");
  EXPECT_FALSE(last.get()) << "all is done";
}

TEST_F(AnswerQueueTest, StopSendsEveryoneHome) {
  write_rows(row_of("a", "one") + row_of("b", "two"));
  AnswerQueue& queue = open({50, 4096, 2048, /*most_rows_ahead=*/1});
  (void)*queue.next(true);
  auto waiting = std::async(std::launch::async, [&] { return queue.next(true); });
  queue.stop();
  EXPECT_FALSE(waiting.get());
  EXPECT_TRUE(queue.stopped());
}

}  // namespace
}  // namespace dflash
