#include "common/text/loss_mask/generation_marks.h"

#include <string_view>

#include "common/text/chat_template/prepare_messages.h"
#include "common/text/chat_template/probe_word.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

/// Where character `index` of a text begins; asked for ascending ones.
class CharacterPlaces {
 public:
  explicit CharacterPlaces(std::string_view text) : text_(text) {}
  size_t byte_of(size_t index) {
    while (index_ < index && byte_ < text_.size()) {
      ++byte_;
      while (byte_ < text_.size() && !begins_character(text_[byte_])) ++byte_;
      ++index_;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  size_t index_ = 0;
  size_t byte_ = 0;
};

bool is_space_only(std::string_view text) {
  return jinja::strip_spaces(text).empty();
}

}  // namespace

GenerationMarks find_generation_marks(const ChatTemplate& chat, const ChatOptions& options) {
  GenerationMarks marks;
  if (!chat.marks_generation()) return marks;
  const Json messages = prepare_messages(
      Json::array({{{"role", "user"}, {"content", kProbeWord}}, {{"role", "assistant"}, {"content", kProbeWord}}}));
  AssistantTurns turns;
  try {
    turns = find_assistant_turns(chat, messages, options, /*place_always=*/true);
  } catch (const TemplateError&) {
    return marks;
  }
  if (turns.source != SpanSource::generation || turns.spans.size() != 1 || turns.placed.size() != 1) return marks;
  CharacterPlaces places(turns.text);
  const size_t begin = places.byte_of(turns.spans[0].begin);
  const size_t end = places.byte_of(turns.spans[0].end);
  const PlacedTurn& turn = turns.placed[0];
  if (begin < turn.begin) marks.header = turns.text.substr(begin, turn.begin - begin);
  if (end > turn.end && is_space_only(std::string_view(turns.text).substr(turn.end, end - turn.end))) {
    marks.spaces = turns.text.substr(turn.end, end - turn.end);
  }
  return marks;
}

GenerationMarkCounts count_marked(const GenerationMarks& marks, const AssistantTurns& turns) {
  GenerationMarkCounts counts;
  if (turns.source != SpanSource::generation || (marks.header.empty() && marks.spaces.empty())) return counts;
  CharacterPlaces places(turns.text);
  for (const CharacterSpan& span : turns.spans) {
    const size_t begin = places.byte_of(span.begin);
    const std::string_view said = std::string_view(turns.text).substr(begin, places.byte_of(span.end) - begin);
    counts.headers += !marks.header.empty() && said.starts_with(marks.header) ? 1 : 0;
    counts.spaces += !marks.spaces.empty() && said.ends_with(marks.spaces) ? 1 : 0;
  }
  return counts;
}

}  // namespace dflash
