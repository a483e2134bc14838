// What the assistant produced in a conversation, found from the template itself: what {% generation %} blocks printed,
// when it has them; otherwise by rendering the conversation turn by turn and comparing.
//
//   const AssistantTurns turns = find_assistant_turns(chat, prepare_messages(messages), options);
//   for (const CharacterSpan& span : turns.spans) ...
//
// Turn by turn, for the assistant's message j: its prompt is the rendering of the messages before it with a generation
// prompt; the span begins where that ends. It ends where the rendering up to and with message j ends, generation
// prompt taken off, with the end-of-turn text and without the white space behind it. A template may write a turn in
// another way once more messages follow (reasoning left out): then the common beginning of prompt and whole counts, if
// all earlier messages stand in it unchanged, and the span ends with the last end-of-turn text before the next message.
//
// Threading: functions only; renders the template three or four times for each assistant message: give
// ChatOptions::allowance when nobody knows how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/chat_template/chat_template.h"

namespace dflash {

enum class SpanSource : uint8_t { generation, turns };

/// Where a message of the assistant stands in the text; bytes, in order.
struct PlacedTurn {
  size_t message;  ///< its place among the messages
  size_t begin;    ///< behind the header
  size_t end;      ///< behind the end-of-turn text
};

struct AssistantTurns {
  std::string text;  ///< the whole conversation
  SpanSource source = SpanSource::turns;
  std::vector<CharacterSpan> spans;  ///< in order, none of them empty
  std::vector<PlacedTurn> placed;    ///< with generation blocks only if asked for
  size_t rewritten = 0;              ///< turns whose text in the whole is not that of the prefix that ends with them
  size_t unplaced = 0;               ///< turns that were not found; nothing of them is in `spans`
};

/// `messages` as prepare_messages gives them. `place_always`: fills `placed` also when generation blocks say what is
/// the assistant's. Throws TemplateError when the whole conversation cannot be rendered.
[[nodiscard]] AssistantTurns find_assistant_turns(const ChatTemplate& chat, const Json& messages,
                                                  const ChatOptions& options, bool place_always = false);

/// Bytes [begin, end) of `text` (UTF-8, cut between characters) in characters.
[[nodiscard]] CharacterSpan in_characters(std::string_view text, size_t begin, size_t end);

}  // namespace dflash
