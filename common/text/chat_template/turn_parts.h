// The parts of a turn of the assistant: its thought, and what the template wrote behind its answer; found from the
// template itself, by putting other words in the place of content and reasoning and comparing.
//
//   const TurnParts parts(chat, messages, options, turns.text);
//   for (const PlacedTurn& turn : turns.placed) use(parts.thought(turn), parts.said_end(turn));
//
// A thought is the message's reasoning_content (or thinking), or what stands inline at the start of its content:
// <think>...</think>, a </think> without its beginning, or a <think> that never ends. Its marks belong to it: all that
// the template writes in this turn before the content, without what it writes there for messages that have no
// reasoning (the header of an answer that another channel begins). When a message without reasoning gets the marks
// all the same, around nothing, they are an empty thought. A thought that the template leaves out is none.
//
// Threading: immutable; renders the template up to three times for each call. Refers to all it was made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/text/chat_template/assistant_turns.h"

namespace dflash {

/// Bytes [begin, end) of a text.
struct ByteSpan {
  size_t begin;
  size_t end;
  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

class TurnParts {
 public:
  /// `messages` as prepare_messages gives them, `text` as they were rendered with `options`.
  TurnParts(const ChatTemplate& chat, const Json& messages, const ChatOptions& options, std::string_view text)
      : chat_(chat), messages_(messages), options_(options), text_(text) {}

  /// The thought of a turn with its marks; nothing when none is written. Throws TemplateError at a limit.
  [[nodiscard]] std::optional<ByteSpan> thought(const PlacedTurn& turn) const;

  /// Where the words of a turn end and the template's own begin: before the end-of-turn text and, when nothing but a
  /// thought was said, before what closes the thought. Throws TemplateError at a limit.
  [[nodiscard]] size_t said_end(const PlacedTurn& turn) const;

 private:
  struct Words;
  struct Marks;
  [[nodiscard]] static Words words_of(const Json& message);
  [[nodiscard]] std::optional<std::string> with_message(size_t j, const std::string* reasoning, bool calls) const;
  [[nodiscard]] std::optional<std::string> before_content(const PlacedTurn& turn, const std::string* reasoning) const;
  [[nodiscard]] std::optional<Marks> marks_of(const PlacedTurn& turn) const;
  [[nodiscard]] std::optional<size_t> length_before_content(const PlacedTurn& turn, const Words& words,
                                                            const Marks& marks) const;
  [[nodiscard]] std::optional<ByteSpan> inline_thought(const PlacedTurn& turn, const Words& words) const;

  const ChatTemplate& chat_;
  const Json& messages_;
  const ChatOptions& options_;
  std::string_view text_;
};

}  // namespace dflash
