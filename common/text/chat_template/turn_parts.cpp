#include "common/text/chat_template/turn_parts.h"

#include <algorithm>

#include "common/text/chat_template/probe_word.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

using jinja::Side;
using jinja::strip_spaces;

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr const char* kReasoningKeys[] = {"reasoning_content", "thinking", "reasoning"};

std::string text_of(const Json& message, const char* key) {
  return message.contains(key) && message[key].is_string() ? message[key].get<std::string>() : "";
}

/// Equal but for white space.
bool alike(std::string_view left, std::string_view right) {
  const auto words = [](std::string_view text) {
    std::string packed;
    std::ranges::copy_if(text, std::back_inserter(packed), [](char c) { return c != ' ' && c != '\n' && c != '\t'; });
    return packed;
  };
  return words(left) == words(right);
}

size_t skip_spaces(std::string_view text, size_t place) {
  const std::string_view rest = text.substr(place);
  return place + rest.size() - strip_spaces(rest, Side::left).size();
}

/// Behind as much of `pattern` as `text` says from `place` on, white space apart.
size_t skip_pattern(std::string_view text, size_t place, std::string_view pattern) {
  for (size_t i = skip_spaces(pattern, 0); i < pattern.size(); i = skip_spaces(pattern, i + 1)) {
    const size_t next = skip_spaces(text, place);
    if (next == text.size() || text[next] != pattern[i]) {
      while (place < text.size() && !begins_character(text[place])) --place;
      return place;
    }
    place = next + 1;
  }
  return skip_spaces(text, place);
}

}  // namespace

/// What a message says, its thought apart.
struct TurnParts::Words {
  std::string reasoning;
  std::string inline_block;  ///< the thought with its marks, when it stands in the content
  bool has_content = false;  ///< says more than the thought
};

/// What the template writes around a thought.
struct TurnParts::Marks {
  std::string open;
  std::string close;
};

TurnParts::Words TurnParts::words_of(const Json& message) {
  Words words;
  const std::string content = text_of(message, "content");
  for (const char* key : kReasoningKeys) {
    if (words.reasoning.empty()) words.reasoning = text_of(message, key);
  }
  std::string_view rest = strip_spaces(content);
  words.has_content = !rest.empty() || message.contains("tool_calls");
  if (!words.reasoning.empty()) return words;
  const bool opens = rest.starts_with(kOpen);
  const size_t close = rest.find(kClose);
  if (!opens && (close == std::string_view::npos || rest.find(kOpen) < close)) return words;
  const std::string_view block = close == std::string_view::npos ? rest : rest.substr(0, close + kClose.size());
  words.inline_block = block;
  words.has_content = block.size() < rest.size() || message.contains("tool_calls");
  std::string_view inner = block.substr(opens ? kOpen.size() : 0);
  if (close != std::string_view::npos) inner.remove_suffix(kClose.size());
  words.reasoning = strip_spaces(inner);
  return words;
}

/// The conversation with other words in message `j`; nothing when the template refuses it.
std::optional<std::string> TurnParts::with_message(size_t j, const std::string* reasoning, bool calls) const {
  Json messages = messages_;
  Json& message = messages[j];
  for (const char* key : kReasoningKeys) message.erase(key);
  if (reasoning != nullptr) {
    for (const char* key : kReasoningKeys) message[key] = *reasoning;
  }
  if (!calls) message.erase("tool_calls");
  message["content"] = kProbeWord;
  try {
    return chat_.render(messages, options_).text;
  } catch (const TemplateError& error) {
    if (error.failure() == TemplateFailure::limit) throw;
    return std::nullopt;
  }
}

/// What the template writes in this turn before the content of a message that has this reasoning, or none.
std::optional<std::string> TurnParts::before_content(const PlacedTurn& turn, const std::string* reasoning) const {
  for (const bool calls : {true, false}) {  // some refuse content and reasoning beside calls, or write no content there
    const auto changed = with_message(turn.message, reasoning, calls);
    if (!changed || !changed->starts_with(text_.substr(0, turn.begin))) continue;
    const size_t place = changed->find(kProbeWord, turn.begin);
    if (place != std::string::npos) return changed->substr(turn.begin, place - turn.begin);
  }
  return std::nullopt;
}

/// Nothing when the template writes no thought in this turn.
std::optional<TurnParts::Marks> TurnParts::marks_of(const PlacedTurn& turn) const {
  const std::string thought = kProbeThought;
  const auto before = before_content(turn, &thought);
  const size_t place = before ? before->find(thought) : std::string::npos;
  if (place == std::string::npos) return std::nullopt;
  return Marks{before->substr(0, place), before->substr(place + thought.size())};
}

/// How long the thought is that the turn begins with.
std::optional<size_t> TurnParts::length_before_content(const PlacedTurn& turn, const Words& words,
                                                       const Marks& marks) const {
  const std::string_view said = text_.substr(turn.begin, turn.end - turn.begin);
  const auto plain = before_content(turn, nullptr);
  const bool empty_thought = plain && alike(*plain, marks.open + marks.close);
  if (words.reasoning.empty()) {
    if (!empty_thought || !said.starts_with(strip_spaces(*plain, Side::right))) return std::nullopt;
    return std::min(plain->size(), said.size());
  }
  const std::string_view reasoning = strip_spaces(words.reasoning);
  const size_t begin = said.find(reasoning);
  if (begin == std::string_view::npos || !alike(said.substr(0, begin), marks.open)) return std::nullopt;
  std::string_view close = marks.close;
  if (!empty_thought && plain && close.ends_with(*plain)) close.remove_suffix(plain->size());
  return skip_pattern(said, begin + reasoning.size(), close);
}

/// A thought that is printed as it stands in the content.
std::optional<ByteSpan> TurnParts::inline_thought(const PlacedTurn& turn, const Words& words) const {
  if (words.inline_block.empty()) return std::nullopt;
  const std::string_view said = text_.substr(turn.begin, turn.end - turn.begin);
  const size_t begin = said.find(words.inline_block);
  if (begin == std::string_view::npos) return std::nullopt;
  return ByteSpan{turn.begin + begin, turn.begin + skip_spaces(said, begin + words.inline_block.size())};
}

std::optional<ByteSpan> TurnParts::thought(const PlacedTurn& turn) const {
  const Words words = words_of(messages_[turn.message]);
  const auto marks = marks_of(turn);
  const auto length = marks ? length_before_content(turn, words, *marks) : std::nullopt;
  if (length) return *length == 0 ? std::nullopt : std::optional(ByteSpan{turn.begin, turn.begin + *length});
  return inline_thought(turn, words);
}

size_t TurnParts::said_end(const PlacedTurn& turn) const {
  const Json& message = messages_[turn.message];
  const Words words = words_of(message);
  if (!words.has_content && !words.reasoning.empty()) {
    const auto span = thought(turn);
    const std::string_view reasoning = strip_spaces(words.reasoning);
    const size_t place = span ? text_.substr(0, span->end).rfind(reasoning) : std::string_view::npos;
    if (place != std::string_view::npos && place >= turn.begin) return place + reasoning.size();
  }
  const auto changed = with_message(turn.message, nullptr, false);
  const size_t place = changed ? changed->find(kProbeWord) : std::string::npos;
  const size_t behind = text_.size() - turn.end;  // what stands behind the turn, in both texts
  if (place == std::string::npos || !changed->ends_with(text_.substr(turn.end))) return turn.end;
  const size_t begin = place + std::string_view(kProbeWord).size();
  if (begin + behind > changed->size()) return turn.end;
  const std::string_view ending = std::string_view(*changed).substr(begin, changed->size() - behind - begin);
  const bool found = text_.substr(turn.begin, turn.end - turn.begin).ends_with(ending);
  return found ? turn.end - ending.size() : turn.end;
}

}  // namespace dflash
