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

bool is_assistant(const Json& message) {
  return message.is_object() && message.value("role", Json()) == "assistant";
}

bool overlap(CharacterSpan left, CharacterSpan right) {
  return left.begin < right.end && right.begin < left.end;
}

/// The spans of the last message of the assistant: what a template marks in one turn may be several of them. None when
/// that turn was not found, whatever stands before it.
std::vector<CharacterSpan> last_turn_spans(const AssistantTurns& turns, const Json& messages) {
  const auto last = std::find_if(messages.rbegin(), messages.rend(), is_assistant);
  if (last == messages.rend() || turns.placed.empty()) return {};
  const PlacedTurn& turn = turns.placed.back();
  if (turn.message != static_cast<size_t>(messages.rend() - last) - 1) return {};
  const CharacterSpan place = in_characters(turns.text, turn.begin, turn.end);
  const size_t before =
      turns.placed.size() < 2
          ? 0
          : count_characters(std::string_view(turns.text).substr(0, turns.placed[turns.placed.size() - 2].end));
  std::vector<CharacterSpan> spans;
  for (const CharacterSpan& span : turns.spans) {
    if (overlap(span, place)) spans.push_back({std::max(span.begin, before), span.end});  // one may mark two turns
  }
  return spans;
}

std::vector<CharacterSpan> base_spans(const AssistantTurns& turns, const Json& messages, Supervise supervise) {
  switch (supervise) {
    case Supervise::everything:
      return {{0, count_characters(turns.text)}};
    case Supervise::last_turn:
      return last_turn_spans(turns, messages);
    case Supervise::all_turns:
      break;
  }
  return turns.spans;
}

/// From the first to the last character that the template's generation blocks mark with this turn, the turn included:
/// they may mark its header and the white space behind its end.
CharacterSpan marked_with(const AssistantTurns& turns, CharacterSpan place) {
  CharacterSpan marked = place;
  for (const CharacterSpan& span : turns.spans) {
    if (!overlap(span, place)) continue;
    marked = {std::min(marked.begin, span.begin), std::max(marked.end, span.end)};
  }
  return marked;
}

/// Spans that are not found in `placed` are taken for supervised by generation blocks and by everything.
void check_found(const AssistantTurns& turns, const Json& messages, const MaskRules& rules) {
  if (turns.source == SpanSource::turns && rules.supervise != Supervise::everything) return;
  for (size_t j = 0; j < messages.size(); ++j) {
    const bool wanted =
        !holds(rules.trained, j, true) || holds(rules.cut, j, false) || (!rules.reasoning && is_assistant(messages[j]));
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

bool needs_places(const MaskRules& rules) {
  return takes_parts_out(rules) || rules.supervise == Supervise::last_turn;
}

SupervisedSpans supervised_spans(const AssistantTurns& turns, const ChatTemplate& chat, const Json& messages,
                                 const ChatOptions& options, const MaskRules& rules) {
  SupervisedSpans result{base_spans(turns, messages, rules.supervise), 0};
  if (!takes_parts_out(rules)) return result;
  check_found(turns, messages, rules);
  const bool marked = turns.source == SpanSource::generation && rules.supervise != Supervise::everything;
  const TurnParts parts(chat, messages, options, turns.text);
  for (const PlacedTurn& turn : turns.placed) {
    const CharacterSpan place = in_characters(turns.text, turn.begin, turn.end);
    const CharacterSpan whole = marked ? marked_with(turns, place) : place;
    if (!holds(rules.trained, turn.message, true)) {
      take_out(result.spans, whole);
      continue;
    }
    if (holds(rules.cut, turn.message, false)) {
      take_out(result.spans, {in_characters(turns.text, parts.said_end(turn), turn.end).begin, whole.end});
    }
    const auto thought = rules.reasoning ? std::nullopt : parts.thought(turn);
    if (!thought) continue;
    take_out(result.spans, in_characters(turns.text, thought->begin, thought->end));
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
