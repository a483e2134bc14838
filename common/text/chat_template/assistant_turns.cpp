#include "common/text/chat_template/assistant_turns.h"

#include <algorithm>
#include <optional>

#include "common/text/chat_template/probe_word.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr const char* kMark = kProbeWord;

struct ByteRange {
  size_t begin;
  size_t end;
};

size_t common_beginning(std::string_view left, std::string_view right) {
  const size_t size = std::min(left.size(), right.size());
  const auto place = std::mismatch(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size), right.begin());
  auto common = static_cast<size_t>(place.first - left.begin());
  while (common > 0 && common < left.size() && !begins_character(left[common])) --common;
  return common;
}

bool is_assistant(const Json& message) {
  return message.is_object() && message.contains("role") && message.at("role") == "assistant";
}

std::string_view without_spaces_behind(std::string_view text) {
  return jinja::strip_spaces(text, jinja::Side::right);
}

class TurnFinder {
 public:
  TurnFinder(const ChatTemplate& chat, const Json& messages, const ChatOptions& options, std::string_view whole)
      : chat_(chat), messages_(messages), options_(options), whole_(whole) {
    learn_from_question();
  }

  /// Where message `j` stands in the whole; nothing when it cannot be told.
  std::optional<ByteRange> find(size_t j) {
    const auto begin = begin_of(j);
    const auto end = begin ? end_of(j, *begin) : std::nullopt;
    if (!end || *end < *begin) return std::nullopt;
    return ByteRange{*begin, *end};
  }
  [[nodiscard]] size_t rewritten() const { return rewritten_; }

 private:
  /// Nothing when the template refuses these messages.
  [[nodiscard]] std::optional<std::string> render(const Json& messages, bool with_prompt) const {
    ChatOptions options = options_;
    options.add_generation_prompt = with_prompt;
    try {
      return chat_.render(messages, options).text;
    } catch (const TemplateError& error) {
      if (error.failure() == TemplateFailure::limit) throw;
      return std::nullopt;
    }
  }
  /// The messages before number `count`; asked for ascending ones, so that nothing is copied twice.
  [[nodiscard]] const Json& first(size_t count) {
    while (first_.size() > count) first_.erase(first_.size() - 1);
    while (first_.size() < count) first_.push_back(messages_[first_.size()]);
    return first_;
  }
  /// The conversation with the mark as the content of message `j`.
  [[nodiscard]] std::optional<std::string> render_with_mark(size_t j) {
    if (changed_.is_null()) changed_ = messages_;
    changed_[j]["content"] = kMark;
    auto text = render(changed_, options_.add_generation_prompt);
    changed_[j] = messages_[j];
    return text;
  }

  /// How the template begins and ends a turn of the assistant, from a question and an answer of one word; as the last
  /// turn and as one that another question follows.
  void learn_from_question() {
    const Json question = {{"role", "user"}, {"content", kMark}};
    const Json answer = {{"role", "assistant"}, {"content", kMark}};
    const auto history = render(Json::array({question}), false);
    const auto prompt = render(Json::array({question}), true);
    if (!history || !prompt || !prompt->starts_with(*history)) return;
    generation_prompt_ = prompt->substr(history->size());
    const size_t place = history->rfind(kMark);
    if (place != std::string::npos) question_end_ = history->substr(place + std::string_view(kMark).size());
    headers_ = {generation_prompt_};
    const auto last = render(Json::array({question, answer}), true);
    const auto followed = render(Json::array({question, answer, question}), true);
    if (last) end_mark_ = end_mark_in(*last);
    for (const auto& turn : {last, followed}) {
      if (turn && turn->starts_with(*history)) learn_header(std::string_view(*turn).substr(history->size()));
    }
  }

  /// `turn` begins as a turn of the assistant does.
  void learn_header(std::string_view turn) {
    const size_t place = turn.find(kMark);
    if (place == std::string_view::npos) return;
    const size_t common = common_beginning(generation_prompt_, turn.substr(0, place));
    headers_.push_back(generation_prompt_.substr(0, common));
  }

  [[nodiscard]] std::string end_mark_in(std::string_view turn) const {
    turn = without_generation_prompt(turn);
    const size_t place = turn.rfind(kMark);
    if (place == std::string_view::npos) return "";
    return std::string(jinja::strip_spaces(turn.substr(place + std::string_view(kMark).size())));
  }
  [[nodiscard]] std::string_view without_generation_prompt(std::string_view text) const {
    if (text.ends_with(generation_prompt_)) text.remove_suffix(generation_prompt_.size());
    return text;
  }

  /// Where the prompt of message `j` ends in the whole.
  [[nodiscard]] std::optional<size_t> begin_of(size_t j) {
    const auto prompt = render(first(j), true);
    const auto history = render(first(j), false);
    if (!prompt || !history) return begin_by_content(j);
    if (whole_.starts_with(*prompt) && prompt->size() > history->size()) return prompt->size();
    if (whole_.starts_with(*prompt) && generation_prompt_.empty()) return prompt->size();
    const auto begin = behind_header(common_beginning(*prompt, whole_));
    return begin && whole_.starts_with(*history) && *begin >= history->size() ? begin : begin_by_content(j);
  }

  /// Behind the last header that ends at or before `limit`.
  [[nodiscard]] std::optional<size_t> behind_header(size_t limit) const {
    std::optional<size_t> last;
    for (const std::string& header : headers_) {
      const size_t place = header.empty() ? std::string_view::npos : whole_.substr(0, limit).rfind(header);
      if (place != std::string_view::npos) last = std::max(last.value_or(0), place + header.size());
    }
    return last;
  }

  /// The messages before `j` alone are refused, or look different in the whole. Where its content begins is found by
  /// putting another there: the span begins behind the last header before it.
  [[nodiscard]] std::optional<size_t> begin_by_content(size_t j) {
    if (generation_prompt_.empty()) return begin_behind_question(j);
    const auto changed = render_with_mark(j);
    const size_t place = changed ? changed->find(kMark) : std::string::npos;
    if (place == std::string::npos || common_beginning(*changed, whole_) < place) return std::nullopt;
    return behind_header(place);
  }

  /// The same for a template without a header: the span begins where the question before it ends.
  [[nodiscard]] std::optional<size_t> begin_behind_question(size_t j) {
    if (j == 0 || messages_[j - 1].value("role", "") != "user" || question_end_.empty()) return std::nullopt;
    const auto changed = render_with_mark(j - 1);
    const size_t mark = changed ? changed->rfind(kMark) : std::string::npos;
    if (mark == std::string::npos) return std::nullopt;
    const std::string_view behind = std::string_view(*changed).substr(mark + std::string_view(kMark).size());
    if (!behind.starts_with(question_end_) || !whole_.ends_with(behind)) return std::nullopt;
    return whole_.size() - behind.size() + question_end_.size();
  }

  std::optional<size_t> end_of(size_t j, size_t begin) {
    if (j + 1 == messages_.size() && !options_.add_generation_prompt) {
      return begin + without_spaces_behind(whole_.substr(begin)).size();
    }
    const auto prefix = render(first(j + 1), true);
    const std::string_view turn = prefix ? without_generation_prompt(*prefix) : std::string_view();
    if (turn.size() >= begin && whole_.starts_with(turn)) {
      return begin + without_spaces_behind(whole_.substr(begin, turn.size() - begin)).size();
    }
    ++rewritten_;
    const auto limit = begin_of_next_content(j, begin);
    if (!limit) return std::nullopt;
    const std::string_view room = whole_.substr(begin, *limit - begin);
    if (const auto end = end_by_tail(room, without_spaces_behind(turn))) return begin + *end;
    const size_t place = end_mark_.empty() ? std::string_view::npos : room.rfind(end_mark_);
    return place == std::string_view::npos ? std::nullopt : std::optional(begin + place + end_mark_.size());
  }

  /// A turn that is written in another way ends as the prefix that ends with it.
  [[nodiscard]] static std::optional<size_t> end_by_tail(std::string_view room, std::string_view turn) {
    for (size_t length = 64; length >= 8; length /= 2) {
      if (turn.size() < length) continue;
      const std::string_view tail = turn.substr(turn.size() - length);
      const size_t place = room.rfind(tail);
      if (place != std::string_view::npos) return place + length;
    }
    return std::nullopt;
  }

  /// Where the content of the next message begins that stands behind `begin`: a template may move messages forward.
  [[nodiscard]] std::optional<size_t> begin_of_next_content(size_t j, size_t begin) {
    for (size_t next = j + 1; next < messages_.size(); ++next) {
      const auto changed = render_with_mark(next);
      if (!changed) return std::nullopt;
      const size_t place = common_beginning(*changed, whole_);
      if (place >= begin) return place;
    }
    return whole_.size();
  }

  const ChatTemplate& chat_;
  const Json& messages_;
  const ChatOptions& options_;
  std::string_view whole_;
  Json first_ = Json::array();
  Json changed_;
  std::string generation_prompt_;
  std::vector<std::string> headers_;  ///< the generation prompt, and what an answer keeps of it
  std::string question_end_;          ///< behind a question
  std::string end_mark_;              ///< behind the answer
  size_t rewritten_ = 0;
};

void place_turns(AssistantTurns& turns, const ChatTemplate& chat, const Json& messages, const ChatOptions& options) {
  TurnFinder finder(chat, messages, options, turns.text);
  size_t behind = 0;
  for (size_t j = 0; j < messages.size(); ++j) {
    if (!is_assistant(messages[j])) continue;
    const auto range = finder.find(j);
    if (!range || range->begin < behind) {
      ++turns.unplaced;
      continue;
    }
    behind = range->end;
    if (range->begin < range->end) turns.placed.push_back({j, range->begin, range->end});
  }
  turns.rewritten = finder.rewritten();
}

}  // namespace

CharacterSpan in_characters(std::string_view text, size_t begin, size_t end) {
  const size_t first = count_characters(text.substr(0, begin));
  return {first, first + count_characters(text.substr(begin, end - begin))};
}

AssistantTurns find_assistant_turns(const ChatTemplate& chat, const Json& messages, const ChatOptions& options,
                                    bool place_always) {
  RenderedChat whole = chat.render(messages, options);
  AssistantTurns turns;
  turns.text = std::move(whole.text);
  const bool marked = chat.marks_generation() && !whole.generated_elsewhere;
  if (!marked || place_always) place_turns(turns, chat, messages, options);
  if (marked) {
    turns.source = SpanSource::generation;
    std::ranges::copy_if(whole.generated, std::back_inserter(turns.spans),
                         [](const CharacterSpan& span) { return span.begin < span.end; });
  } else {
    for (const PlacedTurn& turn : turns.placed) turns.spans.push_back(in_characters(turns.text, turn.begin, turn.end));
  }
  return turns;
}

}  // namespace dflash
