// Spans found turn by turn against those that the families' own markers give (golden/text/templates), and what is
// counted when a template writes earlier turns in another way.
#include "common/text/chat_template/assistant_turns.h"

#include <gtest/gtest.h>

#include "common/text/chat_template/prepare_messages.h"
#include "tests/text/case_folder.h"

namespace dflash {
namespace {

using test::CaseFolder;

AssistantTurns find(CaseFolder& cases, const Json& row) {
  return find_assistant_turns(cases.chat(row.at("template")), prepare_messages(row.at("messages")), cases.options(row));
}

TEST(AssistantTurns, AreThoseOfTheMarkers) {
  const auto folder = test::shared_text_folder() / "templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published templates beside the repository";
  CaseFolder cases(folder);
  size_t compared = 0;
  test::for_each_row(folder / "cases.jsonl", [&](const Json& row) {
    if (row.contains("error") || row.at("rule") != "markers" || !row.at("spans_match_turns").get<bool>()) return;
    const AssistantTurns turns = find(cases, row);
    EXPECT_EQ(turns.text, row.at("expected").get<std::string>());
    EXPECT_EQ(turns.source, SpanSource::turns);
    EXPECT_EQ(test::spans_json(turns.spans), row.at("assistant_spans")) << test::label(row) << "\n" << turns.text;
    ++compared;
  });
  EXPECT_EQ(compared, 260U);
}

TEST(AssistantTurns, GenerationBlocksAreTakenAsTheyAre) {
  const auto folder = test::golden_text_folder() / "templates";
  CaseFolder cases(folder);
  test::for_each_row(folder / "cases.jsonl.gz", [&](const Json& row) {
    if (row.contains("error")) return;
    const AssistantTurns turns = find(cases, row);
    EXPECT_EQ(turns.source, SpanSource::generation);
    EXPECT_EQ(test::spans_json(turns.spans), row.at("assistant_spans")) << test::label(row);
  });
}

constexpr const char* kThinkingTemplate =
    "{% for m in messages %}<{{ m.role }}>"
    "{% if m.reasoning_content and loop.last %}[{{ m.reasoning_content }}]{% endif %}"
    "{{ m.content }}</s>\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";

Json conversation() {
  return {{{"role", "user"}, {"content", "one?"}},
          {{"role", "assistant"}, {"content", "1 </s> 1"}, {"reasoning_content", "hm"}},
          {{"role", "user"}, {"content", "two?"}},
          {{"role", "assistant"}, {"content", "2é"}, {"reasoning_content", "so"}}};
}

std::vector<std::string> pieces(const AssistantTurns& turns) {
  std::vector<std::string> list;
  for (const CharacterSpan& span : turns.spans) {
    size_t character = 0;
    std::string piece;
    for (const char byte : turns.text) {
      character += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
      if (character > span.begin && character <= span.end) piece += byte;
    }
    list.push_back(piece);
  }
  return list;
}

TEST(AssistantTurns, ReasoningThatIsLeftOutLaterIsCounted) {
  const auto chat = ChatTemplate::parse(kThinkingTemplate, "thinking");
  const AssistantTurns turns = find_assistant_turns(chat, conversation(), {});
  EXPECT_EQ(pieces(turns), (std::vector<std::string>{"1 </s> 1</s>", "[so]2é</s>"}));
  EXPECT_EQ(turns.rewritten, 1U);
  EXPECT_EQ(turns.unplaced, 0U);
}

TEST(AssistantTurns, ATurnThatIsNotPrintedHasNoSpan) {
  const auto chat = ChatTemplate::parse(
      "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }};{% endif %}{% endfor %}", "questions");
  const AssistantTurns turns = find_assistant_turns(chat, conversation(), {});
  EXPECT_EQ(turns.text, "one?;two?;");
  EXPECT_EQ(turns.spans, (std::vector<CharacterSpan>{}));
  EXPECT_EQ(turns.unplaced, 0U);
}

TEST(AssistantTurns, AGenerationBlockInAMacroHasNoPlace) {
  const auto chat = ChatTemplate::parse(
      "{% macro say(m) %}<{{ m.role }}>{% if m.role == 'assistant' %}{% generation %}{{ m.content }}</s>"
      "{% endgeneration %}{% else %}{{ m.content }}</s>{% endif %}{% endmacro %}"
      "{% for m in messages %}{{ say(m) }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}",
      "macro");
  const AssistantTurns turns = find_assistant_turns(chat, conversation(), {});
  EXPECT_EQ(turns.source, SpanSource::turns);
  EXPECT_EQ(pieces(turns), (std::vector<std::string>{"1 </s> 1</s>", "2é</s>"}));
}

}  // namespace
}  // namespace dflash
