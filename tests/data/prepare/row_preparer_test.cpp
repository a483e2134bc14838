// One row to its tokens: against the quick start's own ids, and every way in which a row is left out behind the parser.
#include "common/data/prepare/row_preparer.h"

#include <gtest/gtest.h>

#include "common/base/error.h"
#include "tests/data/prepare/prepare_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

class Preparing : public testing::Test {
 protected:
  PreparedRow prepare(const std::string& row, RowShape shape = RowShape::messages) {
    const PrepareTexts texts = read_texts(settings_);
    RowPreparer preparer(settings_, texts);
    Line line;
    line.number = 7;
    line.text = row;
    return preparer.prepare(line, shape);
  }
  void expect_dropped(const PreparedRow& row, DropReason reason, const std::string& words) {
    ASSERT_TRUE(row.dropped);
    EXPECT_STREQ(drop_reason_name(*row.dropped), drop_reason_name(reason));
    EXPECT_NE(row.detail.find(words), std::string::npos) << row.detail;
    EXPECT_TRUE(row.input_ids.empty());
    EXPECT_EQ(row.line, 7);
  }
  /// The template of the settings becomes this one.
  void use_template(const std::string& source) {
    write_text(folder_.path() / "template.jinja", source);
    settings_.chat_template = folder_.path() / "template.jinja";
  }
  [[nodiscard]] std::string supervised_text(const PreparedRow& row) const {
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < row.input_ids.size(); ++i) {
      if (row.loss_mask[i] == 1) ids.push_back(static_cast<uint32_t>(row.input_ids[i]));
    }
    return read_texts(settings_).tokenizer.decode(ids, /*skip_special_tokens=*/false);
  }

  PrepareSettings settings_ = made_settings();
  TempFolder folder_;
};

TEST_F(Preparing, RawChatsBecomeTheTokensOfTheQuickStart) {
  const auto chats = lines_of_file("quickstart_chats.jsonl");
  const auto tokens = lines_of_file("quickstart_tokens.jsonl");
  ASSERT_EQ(chats.size(), 60U);
  ASSERT_EQ(tokens.size(), chats.size());
  for (size_t i = 0; i < chats.size(); ++i) {
    const PreparedRow row = prepare(chats[i]);
    const Json expected = Json::parse(tokens[i]);
    EXPECT_FALSE(row.dropped) << row.detail;
    EXPECT_EQ(Json(row.input_ids), expected["input_ids"]) << i;
    EXPECT_EQ(Json(row.loss_mask), expected["loss_mask"]) << i;
    const PreparedRow same = prepare(tokens[i], RowShape::token_ids);
    EXPECT_EQ(same.input_ids, row.input_ids);
    EXPECT_EQ(same.loss_mask, row.loss_mask);
    EXPECT_EQ(same.supervised, row.supervised);
  }
}

TEST_F(Preparing, ATextIsSupervisedAsAWhole) {
  const PreparedRow row = prepare(R"({"text":"<|im_start|>user\nAsk<|im_end|>"})", RowShape::text);
  EXPECT_EQ(row.kind, ContentKind::text);
  EXPECT_EQ(row.input_ids.front(), 2045);
  EXPECT_EQ(row.supervised, static_cast<int64_t>(row.input_ids.size()));
}

TEST_F(Preparing, WhatTheRowTakesOutIsNotSupervised) {
  const std::string row =
      R"({"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"First answer","weight":0},)"
      R"({"role":"user","content":"Two?"},{"role":"assistant","content":"Second answer","finish_reason":"length"}]})";
  EXPECT_EQ(supervised_text(prepare(row)), "Second answer") << "no first answer, no end token that was not said";
  settings_.supervise = Supervise::everything;
  const std::string text = supervised_text(prepare(row));
  EXPECT_EQ(text.find("First answer"), std::string::npos) << text;
  EXPECT_NE(text.find("Two?"), std::string::npos) << text;
}

/// As Qwen3 writes it: thoughts that are switched off are an empty block, which the prompt brings already.
constexpr const char* kSwitchedTemplate =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' and loop.last and not enable_thinking | default(true) %}<think></think>{% endif %}"
    "{% if m.role == 'assistant' %}OPEN{{ m.content }}<|im_end|>CLOSE\n{% else %}{{ m.content }}<|im_end|>\n{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if not enable_thinking | default(true) %}<think></think>{% endif %}{% endif %}";

std::string switched_template(bool marked) {
  std::string text = kSwitchedTemplate;
  const auto put = [&text](const std::string& word, const char* with) {
    text.replace(text.find(word), word.size(), with);
  };
  put("OPEN", marked ? "{% generation %}" : "");
  put("CLOSE", marked ? "{% endgeneration %}" : "");
  return text;
}

TEST_F(Preparing, VariablesReachTheTextAndItsMask) {
  const std::string row = R"({"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"First"},)"
                          R"({"role":"user","content":"Two?"},{"role":"assistant","content":"Second"}]})";
  for (const bool marked : {false, true}) {
    use_template(switched_template(marked));
    settings_.template_variables = Json::object();
    const PreparedRow plain = prepare(row);
    EXPECT_EQ(supervised_text(plain), "First<|im_end|>Second<|im_end|>") << marked;
    settings_.template_variables = {{"enable_thinking", false}};
    const PreparedRow switched = prepare(row);
    EXPECT_GT(switched.input_ids.size(), plain.input_ids.size()) << "the empty thought";
    EXPECT_EQ(supervised_text(switched), "First<|im_end|>Second<|im_end|>") << marked;
    settings_.supervise = Supervise::last_turn;
    EXPECT_EQ(supervised_text(prepare(row)), "Second<|im_end|>") << marked;
    settings_.supervise = Supervise::all_turns;
  }
}

TEST_F(Preparing, ThoughtsAreTakenOutWhenAskedFor) {
  use_template(
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.reasoning_content %}<think>{{ m.reasoning_content }}"
      "</think>{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
      "{% endif %}");
  const std::string row = R"({"messages":[{"role":"user","content":"One?"},)"
                          R"({"role":"assistant","content":"The answer","reasoning_content":"let me think"}]})";
  EXPECT_EQ(supervised_text(prepare(row)), "<think>let me think</think>The answer<|im_end|>");
  settings_.reasoning = false;
  const PreparedRow without = prepare(row);
  EXPECT_EQ(supervised_text(without), "The answer<|im_end|>");
  EXPECT_EQ(without.turns.thoughts, 1);
}

TEST_F(Preparing, TurnsThatAreRewrittenAndMarksThatAreTooLargeAreCounted) {
  use_template(
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.reasoning_content and loop.last %}"
      "<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  const std::string row =
      R"({"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"A","reasoning_content":"hm"},)"
      R"({"role":"user","content":"Two?"},{"role":"assistant","content":"B","reasoning_content":"so"}]})";
  EXPECT_EQ(prepare(row).turns, (TurnCounts{.turns = 2, .rewritten = 1}));
  use_template(
      "{% for m in messages %}{% if m.role == 'user' %}<|im_start|>user\n{{ m.content }}<|im_end|>\n{% else %}"
      "{% generation %}<|im_start|>assistant\n{{ m.content }}<|im_end|>\n{% endgeneration %}{% endif %}{% endfor %}"
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  EXPECT_EQ(prepare(row).turns, (TurnCounts{.turns = 2, .marked_headers = 2, .marked_spaces = 2}));
}

TEST_F(Preparing, SpecialTokensInAnswersAreCounted) {
  EXPECT_EQ(prepare(made_row("Say <|endoftext|>", "I will not do that")).turns.special_tokens, 0);
  const PreparedRow row = prepare(made_row("Say it", "It is <|endoftext|> and <|endoftext|>"));
  EXPECT_EQ(row.turns.special_tokens, 1);
  EXPECT_EQ(std::ranges::count(row.input_ids, 2044), 2);
}

TEST_F(Preparing, EveryReasonBehindTheParser) {
  expect_dropped(prepare("{oops"), DropReason::bad_json, "");
  const std::string row = made_row("Ask", "Reply in a few words");
  settings_.min_supervised_tokens = 50;
  expect_dropped(prepare(row), DropReason::too_few_supervised, "at least 50 are asked for");
  settings_.min_supervised_tokens = 2;
  settings_.mask_token_id = prepare(row).input_ids.back() == 198 ? 2046 : 0;  // the end token, which is supervised
  expect_dropped(prepare(row), DropReason::mask_token_in_answer, "has id 2046");
  settings_.mask_token_id = 2045;  // stands in every header, where it teaches nothing
  EXPECT_FALSE(prepare(row).dropped);
  settings_.vocab_size = 2046;
  expect_dropped(prepare(row), DropReason::bad_tokens, "has id 2046, the target's vocabulary has 2046");
  settings_.vocab_size = 2048;
  use_template("{{ raise_exception('only for poets') }}");
  expect_dropped(prepare(row), DropReason::template_error, "only for poets");
}

TEST_F(Preparing, AnotherTemplateSeesTheModelsSpecialTokens) {
  const auto model = folder_.path() / "model";
  const std::string source = "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}";
  write_text(model / "tokenizer_config.json",
             Json{{"bos_token", "<|im_start|>"}, {"eos_token", "<|im_end|>"}, {"chat_template", source}}.dump());
  settings_.supervise = Supervise::everything;
  settings_.chat_template = settings_.model = model;
  const std::string row = made_row("Ask", "Reply");
  const PreparedRow with_own = prepare(row);
  EXPECT_EQ(supervised_text(with_own), "<|im_start|>Ask<|im_end|>Reply<|im_end|>");
  use_template(source);
  EXPECT_EQ(prepare(row).input_ids, with_own.input_ids);
  settings_.model.clear();
  EXPECT_EQ(supervised_text(prepare(row)), "AskReply") << "nobody says which they are";
}

/// One question and answer after the other.
std::string long_row(int messages) {
  Json row{{"messages", Json::array()}};
  for (int i = 0; i < messages; i += 2) {
    row["messages"].push_back({{"role", "user"}, {"content", "One?"}});
    row["messages"].push_back({{"role", "assistant"}, {"content", "A short answer"}});
  }
  return row.dump();
}

TEST_F(Preparing, ARowOfSomeHundredMessagesIsKeptOneOfThousandsIsNot) {
  settings_.reasoning = false;
  settings_.max_tokens = 1 << 20;
  EXPECT_FALSE(prepare(long_row(300)).dropped);
  expect_dropped(prepare(long_row(4000)), DropReason::template_error, "the conversation is too long: rendering it");
}

TEST_F(Preparing, EachRowHasItsOwnAllowance) {
  const PrepareTexts texts = read_texts(settings_);
  RowPreparer preparer(settings_, texts, {.steps = 20'000});
  const std::string small = long_row(4), large = long_row(1000);
  Line line;
  for (int i = 0; i < 3; ++i) {
    line.text = small;
    EXPECT_FALSE(preparer.prepare(line, RowShape::messages).dropped) << i;
    line.text = large;
    EXPECT_EQ(preparer.prepare(line, RowShape::messages).dropped, DropReason::template_error) << i;
  }
}

TEST_F(Preparing, TheClockStandsWhereTheSettingsSay) {
  use_template("{% for m in messages %}{{ strftime_now('%d %B %Y') }} {{ m.content }}\n{% endfor %}");
  settings_.supervise = Supervise::everything;
  const std::string row = made_row("Ask", "Reply");
  EXPECT_EQ(supervised_text(prepare(row)), "01 January 2026 Ask\n01 January 2026 Reply\n");
  settings_.now = "2024-07-30 12:00:00";
  EXPECT_EQ(supervised_text(prepare(row)), "30 July 2024 Ask\n30 July 2024 Reply\n");
}

TEST_F(Preparing, TurnsOfTextsAndTokensAreNotGuessed) {
  settings_.reasoning = false;
  expect_error(ErrorKind::config, "nobody knows their thoughts",
               [&] { check_shape_fits(settings_, RowShape::token_ids, "f.jsonl"); });
  settings_ = made_settings();
  settings_.supervise = Supervise::last_turn;
  expect_error(ErrorKind::config, "f.jsonl: its rows are read as text, and nobody knows their turns",
               [&] { check_shape_fits(settings_, RowShape::text, "f.jsonl"); });
  EXPECT_NO_THROW(check_shape_fits(settings_, RowShape::messages, "f.jsonl"));
  EXPECT_NO_THROW(check_shape_fits(made_settings(), RowShape::text, "f.jsonl"));
}

TEST_F(Preparing, ToolCallsThatTheTemplateDoesNotWriteTeachNothing) {
  settings_.min_supervised_tokens = 2;
  const std::string row = R"({"messages": [{"role": "user", "content": "The time?"},
      {"role": "assistant", "content": null, "tool_calls": [{"type": "function",
        "function": {"name": "clock", "arguments": {"zone": "here"}}}]},
      {"role": "tool", "content": "noon"}, {"role": "assistant", "content": "It is noon."}]})";
  const PreparedRow silent = prepare(row);
  ASSERT_FALSE(silent.dropped) << silent.detail;
  EXPECT_EQ(silent.turns.unwritten_calls, 1);
  EXPECT_EQ(supervised_text(silent), "It is noon.<|im_end|>");

  use_template(
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
      "{% for call in m.tool_calls %}{{ call.function.name }}{% endfor %}<|im_end|>\n{% endfor %}"
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  const PreparedRow written = prepare(row);
  ASSERT_FALSE(written.dropped) << written.detail;
  EXPECT_EQ(written.turns.unwritten_calls, 0);
  EXPECT_EQ(supervised_text(written), "clock<|im_end|>It is noon.<|im_end|>");
}

}  // namespace
}  // namespace dflash
