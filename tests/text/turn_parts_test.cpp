// Thoughts and the ends of answers, found by templates of several families, and what masks make of them.
#include "common/text/chat_template/turn_parts.h"

#include <gtest/gtest.h>

#include "common/text/chat_template/prepare_messages.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/loss_mask/mask_rules.h"
#include "tests/text/case_folder.h"

namespace dflash {
namespace {

using test::CaseFolder;
using Texts = std::vector<std::string>;

Json user(const std::string& text) {
  return {{"role", "user"}, {"content", text}};
}
Json assistant(const std::string& text, const std::string& reasoning = "") {
  Json message{{"role", "assistant"}, {"content", text}};
  if (!reasoning.empty()) message["reasoning_content"] = reasoning;
  return message;
}

/// The thought of each turn; "-" where there is none.
Texts thoughts(const ChatTemplate& chat, const Json& raw, const ChatOptions& options = {}) {
  const Json messages = prepare_messages(raw);
  const AssistantTurns turns = find_assistant_turns(chat, messages, options, /*place_always=*/true);
  const TurnParts parts(chat, messages, options, turns.text);
  Texts texts;
  for (const PlacedTurn& turn : turns.placed) {
    const auto span = parts.thought(turn);
    texts.push_back(span ? turns.text.substr(span->begin, span->end - span->begin) : "-");
  }
  return texts;
}

/// What is supervised, by characters.
Texts supervised(const ChatTemplate& chat, const Json& raw, const MaskRules& rules) {
  const Json messages = prepare_messages(raw);
  const AssistantTurns turns = find_assistant_turns(chat, messages, {}, needs_places(rules));
  Texts texts;
  for (const CharacterSpan& span : supervised_spans(turns, chat, messages, {}, rules).spans) {
    texts.push_back(turns.text.substr(span.begin, span.end - span.begin));  // the texts here are ASCII
  }
  return texts;
}

// Two own templates: one writes every turn's thought, and an empty one; the other only that of the last turn, and
// parses one that stands in the content.
constexpr const char* kMarked =
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' %}"
    "[think]{{ m.reasoning_content or '' }}[/think]{% endif %}{{ m.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}";
constexpr const char* kParsing =
    "{% for m in messages %}<{{ m.role }}>{% set text = m.content %}{% set thought = m.reasoning_content or '' %}"
    "{% if '</think>' in text %}{% set thought = text.split('</think>')[0].split('<think>')[-1].strip() %}"
    "{% set text = text.split('</think>')[-1].lstrip() %}{% endif %}"
    "{% if thought and loop.last %}<think>\n{{ thought }}\n</think>\n\n{% endif %}{{ text }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}";
constexpr const char* kPlain =
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}";

ChatTemplate parse(const char* source) {
  return ChatTemplate::parse(source, "test");
}

TEST(TurnParts, MarksBelongToTheThoughtWhateverTheyAre) {
  const auto chat = parse(kMarked);
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("A", "hm"), user("b?"), assistant("B")}),
            (Texts{"[think]hm[/think]", "[think][/think]"}));
}

TEST(TurnParts, AThoughtThatIsLeftOutIsNone) {
  const auto chat = parse(kParsing);
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("A", "hm"), user("b?"), assistant("B", "so")}),
            (Texts{"-", "<think>\nso\n</think>\n\n"}));
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("A")}), (Texts{"-"}));
}

TEST(TurnParts, AThoughtMayStandInTheContent) {
  for (const char* source : {kPlain, kParsing}) {
    const auto chat = parse(source);
    EXPECT_EQ(thoughts(chat, {user("a?"), assistant("<think>\nso\n</think>\n\nA")}),
              (Texts{"<think>\nso\n</think>\n\n"}));
  }
  const auto chat = parse(kPlain);
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("so</think>A")}), (Texts{"so</think>"})) << "begun by the prompt";
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("<think>so it")}), (Texts{"<think>so it"})) << "cut inside";
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("Say <think> and </think>.")}), (Texts{"-"})) << "talks about them";
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("A", "not written")}), (Texts{"-"}));
}

TEST(TurnParts, AThoughtInATurnThatBeginsWithItsMark) {
  const auto chat = parse(
      "{% for m in messages %}{% if m.role == 'user' %}U:{{ m.content }}\n{% else %}A:<think>\n"
      "{{ m.reasoning_content or '' }}\n</think>\n{{ m.content }}</s>\n{% endif %}{% endfor %}"
      "{% if add_generation_prompt %}A:<think>\n{% endif %}");
  EXPECT_EQ(thoughts(chat, {user("a?"), assistant("A", "hm")}), (Texts{"hm\n</think>\n"}));
}

TEST(TurnParts, WhatIsTakenOut) {
  const auto chat = parse(kMarked);
  const Json messages{user("a?"), assistant("A", "hm"), user("b?"), assistant("B")};
  EXPECT_EQ(supervised(chat, messages, {}), (Texts{"[think]hm[/think]A</s>", "[think][/think]B</s>"}));
  EXPECT_EQ(supervised(chat, messages, {.reasoning = false}), (Texts{"A</s>", "B</s>"}));
  EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::last_turn, .reasoning = false}), (Texts{"B</s>"}));
  EXPECT_EQ(supervised(chat, messages, {.trained = {true, false, true, true}}), (Texts{"[think][/think]B</s>"}));
  EXPECT_EQ(supervised(chat, messages, {.cut = {false, false, false, true}}),
            (Texts{"[think]hm[/think]A</s>", "[think][/think]B"}));
  EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::everything, .trained = {true, false, true, true}}),
            (Texts{"<user>a?</s>\n<assistant>", "\n<user>b?</s>\n<assistant>[think][/think]B</s>\n"}));
}

TEST(TurnParts, OfAnAnswerThatWasCutInsideItsThoughtOnlyTheThoughtWasSaid) {
  const auto chat = parse(kMarked);
  EXPECT_EQ(supervised(chat, {user("a?"), assistant("", "so it")}, {.cut = {false, true}}), (Texts{"[think]so it"}));
}

TEST(TurnParts, GenerationBlocksLoseTheSameParts) {
  CaseFolder cases(test::golden_text_folder() / "templates");
  const auto& chat = cases.chat("chatml_gen");
  const Json messages{user("a?"), assistant("A", "hm"), user("b?"), assistant("B")};
  EXPECT_EQ(supervised(chat, messages, {.reasoning = false}), (Texts{"A<|im_end|>", "B<|im_end|>"}));
  EXPECT_EQ(supervised(chat, messages, {.trained = {true, true, true, false}}),
            (Texts{"<think>\nhm\n</think>\n\nA<|im_end|>"}));
}

TEST(TurnParts, WhatGenerationBlocksMarkAroundATurnGoesWithIt) {
  const auto chat = parse(
      "{% for m in messages %}{% if m.role == 'user' %}<user>{{ m.content }}</s>\n{% else %}{% generation %}"
      "<assistant>{{ m.content }}</s>\n{% endgeneration %}{% endif %}{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{% endif %}");
  const Json messages{user("a?"), assistant("A"), user("b?"), assistant("B")};
  const Texts both{"<assistant>A</s>\n", "<assistant>B</s>\n"};
  EXPECT_EQ(supervised(chat, messages, {}), both);
  EXPECT_EQ(supervised(chat, messages, {.trained = {true, false, true, true}}), (Texts{both[1]}));
  EXPECT_EQ(supervised(chat, messages, {.trained = {true, true, true, false}}), (Texts{both[0]}));
  EXPECT_EQ(supervised(chat, messages, {.cut = {false, true, false, true}}), (Texts{"<assistant>A", "<assistant>B"}));
  EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::last_turn}), (Texts{both[1]}));
  EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::everything, .trained = {true, false, true, true}}),
            (Texts{"<user>a?</s>\n<assistant>", "\n<user>b?</s>\n<assistant>B</s>\n"}))
      << "of everything the turn alone";
}

TEST(TurnParts, ATurnOfTwoGenerationBlocksIsOneTurn) {
  const auto chat = parse(
      "{% for m in messages %}<{{ m.role }}>{% if m.role == 'user' %}{{ m.content }}</s>\n{% else %}"
      "{% generation %}[{{ m.reasoning_content or '' }}]{% endgeneration %} {% generation %}{{ m.content }}</s>\n"
      "{% endgeneration %}{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}");
  const Json messages{user("a?"), assistant("A", "hm"), user("b?"), assistant("B", "so")};
  EXPECT_EQ(supervised(chat, messages, {}), (Texts{"[hm]", "A</s>\n", "[so]", "B</s>\n"}));
  EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::last_turn}), (Texts{"[so]", "B</s>\n"}));
  EXPECT_EQ(supervised(chat, messages, {.trained = {true, false, true, true}}), (Texts{"[so]", "B</s>\n"}));
  EXPECT_EQ(supervised(chat, messages, {.cut = {false, false, false, true}}), (Texts{"[hm]", "A</s>\n", "[so]", "B"}));
}

TEST(TurnParts, ABlockOfTwoTurnsDoesNotMakeTheFirstTheLast) {
  const auto chat = parse(
      "{% for m in messages %}{% if m.role == 'user' %}<user>{{ m.content }}</s>{% elif loop.first or "
      "messages[loop.index0 - 1].role == 'user' %}{% generation %}{% for n in messages[loop.index0:] %}"
      "<assistant>{{ n.content }}</s>{% endfor %}{% endgeneration %}{% endif %}{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{% endif %}");
  const Json messages{user("a?"), assistant("A"), assistant("B")};
  EXPECT_EQ(supervised(chat, messages, {}), (Texts{"<assistant>A</s><assistant>B</s>"}));
  EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::last_turn}), (Texts{"<assistant>B</s>"}));
}

TEST(TurnParts, ALastTurnThatIsNotFoundLeavesNothing) {
  for (const bool marks : {false, true}) {
    const std::string open = marks ? "{% generation %}" : "";
    const std::string close = marks ? "{% endgeneration %}" : "";
    const auto chat = ChatTemplate::parse(
        "{% for m in messages %}{% if m.content != 'hidden' %}<{{ m.role }}>{% if m.role == 'user' %}{{ m.content }}"
        "</s>\n{% else %}" +
            open + "{{ m.content }}</s>" + close +
            "\n{% endif %}{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}",
        "hiding");
    const Json messages{user("a?"), assistant("A"), user("b?"), assistant("hidden")};
    EXPECT_EQ(supervised(chat, messages, {}), (Texts{"A</s>"}));
    EXPECT_EQ(supervised(chat, messages, {.supervise = Supervise::last_turn}), (Texts{}));
  }
}

TEST(TurnParts, ATurnThatIsNotFoundIsNotTrainedOnInSilence) {
  const auto chat = parse("{% for m in messages %}{% if m.role == 'user' %}{{ m.content }};{% endif %}{% endfor %}");
  const Json messages = prepare_messages({user("a?"), assistant("A")});
  const MaskRules rules{.supervise = Supervise::everything, .trained = {true, false}};
  const AssistantTurns turns = find_assistant_turns(chat, messages, {}, true);
  EXPECT_THROW((void)supervised_spans(turns, chat, messages, {}, rules), Error);
}

TEST(TurnParts, OfPublishedTemplates) {
  const auto folder = test::shared_text_folder() / "templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published templates beside the repository";
  CaseFolder cases(folder);
  const Json two{user("a?"), assistant("A", "hm"), user("b?"), assistant("B", "so")};
  const Json none{user("a?"), assistant("A"), user("b?"), assistant("B")};
  const Json inside{user("b?"), assistant("<think>\nso\n</think>\n\nB")};
  const std::string so = "<think>\nso\n</think>\n\n";
  const auto found = [&](const char* name, const Json& messages) { return thoughts(cases.chat(name), messages); };
  EXPECT_EQ(found("qwen3", two), (Texts{"-", so}));
  EXPECT_EQ(found("qwen3", none), (Texts{"-", "<think>\n\n</think>\n\n"}));
  EXPECT_EQ(found("qwen3", inside), (Texts{so}));
  EXPECT_EQ(found("qwen3_training", two), (Texts{"<think>\nhm\n</think>\n\n", so}));
  EXPECT_EQ(found("qwen3_5_think", two), (Texts{"-", "so\n</think>\n\n"})) << "the prompt begins the thought";
  EXPECT_EQ(found("qwen3_5_think", none), (Texts{"-", "\n</think>\n\n"}));
  EXPECT_EQ(found("qwen2_5", two), (Texts{"-", "-"})) << "writes none";
  EXPECT_EQ(found("qwen2_5", inside), (Texts{so}));
  EXPECT_EQ(found("deepseek_r1_distill", inside), (Texts{"-"})) << "leaves it out";
  EXPECT_EQ(found("gpt_oss", two), (Texts{"-", "<|channel|>analysis<|message|>so<|end|><|start|>assistant"}));
  EXPECT_EQ(found("gpt_oss", none), (Texts{"-", "-"})) << "the final channel is no thought";
}

/// Without thoughts, the rest of every turn stays supervised, and nothing that was not before.
TEST(TurnParts, OnlyThoughtsAreTakenOut) {
  const auto folder = test::shared_text_folder() / "templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published templates beside the repository";
  CaseFolder cases(folder);
  size_t with_thoughts = 0;
  test::for_each_row(folder / "cases.jsonl", [&](const Json& row) {
    if (row.contains("error")) return;
    const Json messages = prepare_messages(row.at("messages"));
    const ChatOptions options = cases.options(row);
    const auto& chat = cases.chat(row.at("template"));
    const AssistantTurns turns = find_assistant_turns(chat, messages, options, true);
    const TurnParts parts(chat, messages, options, turns.text);
    for (const PlacedTurn& turn : turns.placed) {
      const auto span = parts.thought(turn);
      const std::string label = test::label(row);
      EXPECT_LE(parts.said_end(turn), turn.end) << label;
      EXPECT_GE(parts.said_end(turn), turn.begin) << label;
      if (!span) continue;
      ++with_thoughts;
      EXPECT_LT(span->begin, span->end) << label;
      EXPECT_GE(span->begin, turn.begin) << label;
      EXPECT_LE(span->end, turn.end) << label;
      const Json& message = messages[turn.message];
      std::string content = message.contains("content") && message["content"].is_string() ? message["content"] : "";
      if (const size_t close = content.find("</think>"); close != std::string::npos)
        content = content.substr(close + 8);
      EXPECT_NE(turns.text.substr(span->end, turn.end - span->end).find(jinja::strip_spaces(content)),
                std::string::npos)
          << label << "\n"
          << turns.text.substr(span->begin, span->end - span->begin);
    }
  });
  EXPECT_GT(with_thoughts, 50U);
}

}  // namespace
}  // namespace dflash
