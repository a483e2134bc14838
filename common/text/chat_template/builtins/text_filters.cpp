// Filters that make a text of one value: case, escaping, replacing, JSON.
#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/attribute_path.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/json_text.h"
#include "common/text/chat_template/values/letter_case.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/operators.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/printf_text.h"
#include "common/text/chat_template/values/python_text.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

using CaseFunction = std::string (*)(std::string_view);

Value in_case(Rendering& rendering, const Value& input, const Arguments& arguments, CaseFunction change) {
  const Parameters none("filter", arguments, {});
  const Value text = soft_text(input);
  return rendering.make_text(change(text.text()->bytes), text.text()->markup);
}

Value upper(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return in_case(rendering, input, arguments, upper_case);
}
Value lower(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return in_case(rendering, input, arguments, lower_case);
}
Value capitalize(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return in_case(rendering, input, arguments, capitalized);
}

bool begins_title_word(char32_t code_point) {
  return code_point == '-' || code_point == '(' || code_point == '{' || code_point == '[' || code_point == '<' ||
         is_python_space(code_point);
}

/// Jinja's own rule: words begin behind spaces, hyphens and opening brackets.
std::string title_words(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool separator = begins_title_word(decode_utf8(text.data() + at).code_point);
    size_t end = at;
    while (end < text.size()) {
      const Character character = decode_utf8(text.data() + end);
      if (begins_title_word(character.code_point) != separator) break;
      end += character.bytes;
    }
    const std::string_view piece = text.substr(at, end - at);
    const size_t first = utf8_bytes(static_cast<unsigned char>(piece[0]));
    result += upper_case(piece.substr(0, first)) + lower_case(piece.substr(first));
    at = end;
  }
  return result;
}

Value title(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return in_case(rendering, input, arguments, title_words);
}

Value trim(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("trim", arguments, {"chars"});
  const Value text = soft_text(input);
  const std::string_view bytes = text.text()->bytes;
  return rendering.make_text(std::string(given.given(0) ? strip_characters(bytes, given.text(0)) : strip_spaces(bytes)),
                             text.text()->markup);
}

Value replace(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("replace", arguments, {"old", "new", "count"}, 2);
  return Value::of_text(replace_all(str(input), str(given[0]), str(given[1]), given.given(2) ? given.count(2, -1) : -1,
                                    [&](size_t bytes) { rendering.budget.spend_text(bytes); }));
}

Value escape(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("escape", arguments, {});
  return rendering.make_text(escaped(input), true);
}
Value forceescape(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("forceescape", arguments, {});
  return rendering.make_text(escape_markup(str(input)), true);
}
Value safe(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("safe", arguments, {});
  return rendering.make_text(str(input), true);
}
Value string(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters none("string", arguments, {});
  return soft_text(input);
}

std::optional<std::string> indent_of(const Value& value) {
  if (value.is_none()) return std::nullopt;
  if (value.text() != nullptr) return value.text()->bytes;
  const int64_t width = to_count(value, "indent");
  if (width > 64) type_error("tojson: an indent of more than 64 is not supported");
  return std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
}

Value tojson(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = given.flag(0, false);
  style.indent = indent_of(given.value_or(1, Value()));
  if (style.indent) style.between_items = ",";
  if (given.given(2)) {
    const Sequence* pair = given[2].sequence();
    if (pair == nullptr || pair->items.size() != 2) type_error("tojson: separators must be a pair of texts");
    style.between_items = str(pair->items[0]);
    style.behind_keys = str(pair->items[1]);
  }
  style.sort_keys = given.flag(3, false);
  return rendering.make_text(json_text(input, style));
}

/// Dictionaries by their keys, as pprint shows them; keys that are no texts have no order there and stay.
Value with_sorted_keys(const Value& value) {
  if (const Sequence* sequence = value.sequence()) {
    std::vector<Value> items;
    for (const Value& item : sequence->items) items.push_back(with_sorted_keys(item));
    return make_sequence(sequence->kind, std::move(items));
  }
  const Dict* dict = value.dict();
  if (dict == nullptr) return value;
  std::vector<Dict::Entry> entries;
  for (const auto& [key, content] : dict->entries()) entries.emplace_back(key, with_sorted_keys(content));
  const auto is_text = [](const Dict::Entry& entry) { return entry.first.text() != nullptr; };
  if (std::ranges::all_of(entries, is_text)) std::ranges::stable_sort(entries, is_less, &Dict::Entry::first);
  return make_dict(std::move(entries));
}

Value pprint(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("pprint", arguments, {});
  std::string text = repr(with_sorted_keys(input));
  constexpr size_t kLine = 80;
  if (Text(text).characters > kLine) type_error("pprint of more than one line of 80 characters is not supported");
  return rendering.make_text(std::move(text));
}

Value format_filter(Rendering& rendering, const Value& input, const Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty()) {
    type_error("can't handle positional and keyword arguments at the same time");
  }
  std::vector<Dict::Entry> entries;
  for (const auto& [name, value] : arguments.named) entries.emplace_back(Value::of_text(name), value);
  const Value values = entries.empty() ? Value::tuple(arguments.positional) : make_dict(std::move(entries));
  return rendering.make_text(printf_text(rendering, soft_text(input).text()->bytes, values));
}

bool stays_in_url(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
         std::string_view("_.-~").find(byte) != std::string_view::npos;
}

std::string quoted_url(std::string_view text, bool in_query) {
  std::string result;
  for (const char byte : text) {
    if (stays_in_url(byte) || (byte == '/' && !in_query)) {
      result += byte;
    } else if (byte == ' ' && in_query) {
      result += '+';
    } else {
      result += format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return result;
}

/// A text, or pairs of names and values (of a dictionary, a list) as a query.
Value urlencode(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("urlencode", arguments, {});
  if (input.text() != nullptr || !is_iterable(input)) return rendering.make_text(quoted_url(str(input), false));
  std::vector<Dict::Entry> entries;
  if (input.dict() != nullptr) {
    entries = input.dict()->entries();
  } else {
    for (const Value& item : items_of(rendering, input)) {
      const std::vector<Value> pair = items_of(rendering, item);
      if (pair.size() != 2) type_error(format("urlencode: expected pairs, got {} values", pair.size()));
      entries.emplace_back(pair[0], pair[1]);
    }
  }
  std::string result;
  for (const auto& [key, value] : entries) {
    if (!result.empty()) result += '&';
    result += quoted_url(str(key), true) + "=" + quoted_url(str(value), true);
  }
  return rendering.make_text(std::move(result));
}

constexpr auto kTextFilters = std::to_array<FilterEntry>({
    {"capitalize", capitalize},
    {"e", escape},
    {"escape", escape},
    {"forceescape", forceescape},
    {"format", format_filter},
    {"lower", lower},
    {"pprint", pprint},
    {"replace", replace},
    {"safe", safe},
    {"string", string},
    {"title", title},
    {"tojson", tojson},
    {"trim", trim},
    {"upper", upper},
    {"urlencode", urlencode},
});

}  // namespace

std::span<const FilterEntry> text_filters() {
  return kTextFilters;
}

}  // namespace dflash::jinja
