#include "common/text/loss_mask/mask_rules.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/chat_template/turn_parts.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

bool holds(const std::vector<bool>& list, size_t place, bool otherwise) {
  return place < list.size() ? list[place] : otherwise;
}

std::vector<CharacterSpan> base_spans(const AssistantTurns& turns, Supervise supervise) {
  switch (supervise) {
    case Supervise::everything:
      return {{0, count_characters(turns.text)}};
    case Supervise::last_turn:
      return turns.spans.empty() ? turns.spans : std::vector{turns.spans.back()};
    case Supervise::all_turns:
      break;
  }
  return turns.spans;
}

/// Spans that are not found in `placed` are taken for supervised by generation blocks and by everything.
void check_found(const AssistantTurns& turns, const Json& messages, const MaskRules& rules) {
  if (turns.source == SpanSource::turns && rules.supervise != Supervise::everything) return;
  for (size_t j = 0; j < messages.size(); ++j) {
    const bool wanted =
        !holds(rules.trained, j, true) || holds(rules.cut, j, false) ||
        (!rules.reasoning && messages[j].is_object() && messages[j].value("role", Json()) == "assistant");
    if (!wanted || std::ranges::find(turns.placed, j, &PlacedTurn::message) != turns.placed.end()) continue;
    throw Error(ErrorKind::input_file,
                format("the turn of message {}, of which something must not be trained on, was not found in the text "
                       "that the template makes",
                       j));
  }
}

/// Takes [hole.begin, hole.end) out of spans.
void take_out(std::vector<CharacterSpan>& spans, CharacterSpan hole) {
  std::vector<CharacterSpan> left;
  for (const CharacterSpan& span : spans) {
    if (span.begin < std::min(span.end, hole.begin)) left.push_back({span.begin, std::min(span.end, hole.begin)});
    if (std::max(span.begin, hole.end) < span.end) left.push_back({std::max(span.begin, hole.end), span.end});
  }
  spans = std::move(left);
}

}  // namespace

bool takes_parts_out(const MaskRules& rules) {
  return !rules.reasoning || std::ranges::find(rules.trained, false) != rules.trained.end() ||
         std::ranges::find(rules.cut, true) != rules.cut.end();
}

SupervisedSpans supervised_spans(const AssistantTurns& turns, const ChatTemplate& chat, const Json& messages,
                                 const ChatOptions& options, const MaskRules& rules) {
  SupervisedSpans result{base_spans(turns, rules.supervise), 0};
  if (!takes_parts_out(rules)) return result;
  check_found(turns, messages, rules);
  const TurnParts parts(chat, messages, options, turns.text);
  const auto take = [&](size_t begin, size_t end) { take_out(result.spans, in_characters(turns.text, begin, end)); };
  for (const PlacedTurn& turn : turns.placed) {
    if (!holds(rules.trained, turn.message, true)) {
      take(turn.begin, turn.end);
      continue;
    }
    if (holds(rules.cut, turn.message, false)) take(parts.said_end(turn), turn.end);
    const auto thought = rules.reasoning ? std::nullopt : parts.thought(turn);
    if (!thought) continue;
    take(thought->begin, thought->end);
    ++result.thoughts;
  }
  return result;
}

const char* supervise_name(Supervise supervise) {
  switch (supervise) {
    case Supervise::all_turns:
      return "all_turns";
    case Supervise::last_turn:
      return "last_turn";
    case Supervise::everything:
      break;
  }
  return "everything";
}

Supervise parse_supervise(const std::string& name) {
  for (const Supervise supervise : {Supervise::all_turns, Supervise::last_turn, Supervise::everything}) {
    if (name == supervise_name(supervise)) return supervise;
  }
  throw Error(ErrorKind::config, format("supervise is '{}', expected all_turns, last_turn or everything", name));
}

}  // namespace dflash
