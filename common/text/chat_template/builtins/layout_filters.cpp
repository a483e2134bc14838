// Filters for the layout of texts: indent, center, truncate, wordcount.
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/attribute_path.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/builtins/text_kind_methods.h"
#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

std::string indentation(const Rendering& rendering, const Parameters& given) {
  if (given.has(0) && given[0].text() != nullptr) return given[0].text()->bytes;
  const int64_t width = std::max<int64_t>(given.count(0, 4), 0);
  return std::string(rendering.budget.product(1, static_cast<uint64_t>(width)), ' ');
}

Value indent(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("indent", arguments, {"width", "first", "blank"});
  if (input.text() == nullptr) {
    require_defined(input);
    type_error(format("indent: a text is required, not {}", type_name(input)));
  }
  const std::string space = indentation(rendering, given);
  const std::string source = input.text()->bytes + "\n";
  const auto lines = split_lines(source, false);
  rendering.budget.spend_text(source.size() + rendering.budget.product(space.size(), lines.size()));
  const bool blank = given.flag(2, false);
  std::string result = given.flag(1, false) ? space : "";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result += '\n';
    if (i > 0 && (blank || !lines[i].empty())) result += space;
    result += lines[i];
  }
  return Value::of_text(std::move(result), input.text()->markup);
}

Value center(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("center", arguments, {"width"});
  return centered(rendering, soft_text(input), given.count(0, 80), " ");
}

Value truncate(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("truncate", arguments, {"length", "killwords", "end", "leeway"});
  const auto characters = static_cast<int64_t>(length_of(input));
  const int64_t length = given.count(0, 255);
  const std::string end = given.text_or(2, "...");
  const int64_t leeway = given.given(3) ? given.count(3, 5) : 5;
  const auto end_characters = static_cast<int64_t>(count_characters(end));
  if (length < end_characters) type_error(format("expected length >= {}, got {}", end_characters, length));
  if (leeway < 0) type_error(format("expected leeway >= 0, got {}", leeway));
  if (characters - leeway <= length) return input;  // whatever it is
  const Text* text = input.text();
  if (text == nullptr) type_error(format("truncate: a text is required, not {}", type_name(input)));
  std::string_view kept = characters_of(*text, 0, static_cast<size_t>(length - end_characters));
  if (!given.flag(1, false)) kept = kept.substr(0, kept.rfind(' '));
  return rendering.make_text(std::string(kept) + end, text->markup);
}

Value wordcount(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters none("wordcount", arguments, {});
  const Value value = soft_text(input);
  const std::string& text = value.text()->bytes;
  constexpr uint16_t kWordClasses = CharacterClass::kLetter | CharacterClass::kNumber;
  size_t words = 0;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_utf8(text.data() + at);
    const bool is_word =
        character.code_point == '_' || (CharacterClasses::get().of(character.code_point) & kWordClasses) != 0;
    if (is_word && !inside) ++words;
    inside = is_word;
    at += character.bytes;
  }
  return Value::of_size(words);
}

constexpr auto kLayoutFilters = std::to_array<FilterEntry>({
    {"center", center},
    {"indent", indent},
    {"truncate", truncate},
    {"wordcount", wordcount},
});

}  // namespace

std::span<const FilterEntry> layout_filters() {
  return kLayoutFilters;
}

}  // namespace dflash::jinja
