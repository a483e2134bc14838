// Methods of str: cutting, stripping, searching, joining. Those of case and kind stand in text_kind_methods.cpp.
#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/format_method.h"
#include "common/text/chat_template/builtins/methods.h"
#include "common/text/chat_template/builtins/text_kind_methods.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/operators.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

/// Pieces of `self` as a list of texts.
Value list_of(Rendering& rendering, const Value& self, const std::vector<std::string_view>& pieces) {
  std::vector<Value> items;
  items.reserve(pieces.size());
  for (const std::string_view piece : pieces) {
    items.push_back(rendering.make_text(std::string(piece), self.text()->markup));
  }
  return Value::list(std::move(items));
}

Value split_pieces(Rendering& rendering, const Value& self, const Arguments& arguments, bool from_right) {
  const Parameters given(from_right ? "rsplit" : "split", arguments, {"sep", "maxsplit"});
  const int64_t most = given.count(1, -1);
  const std::string_view text = self.text()->bytes;
  if (!given.given(0)) return list_of(rendering, self, split_words(text, most, from_right));
  if (given.text(0).empty()) type_error("empty separator");
  return list_of(rendering, self, split_at(text, given.text(0), most, from_right));
}

Value split(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return split_pieces(rendering, self, arguments, false);
}
Value rsplit(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return split_pieces(rendering, self, arguments, true);
}

Value splitlines(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("splitlines", arguments, {"keepends"});
  return list_of(rendering, self, split_lines(self.text()->bytes, given.flag(0, false)));
}

Value partition_at(Rendering& rendering, const Value& self, const Arguments& arguments, bool from_right) {
  const Parameters given(from_right ? "rpartition" : "partition", arguments, {"sep"}, 1);
  const std::string& separator = given.text(0);
  if (separator.empty()) type_error("empty separator");
  const std::string_view text = self.text()->bytes;
  const size_t at = from_right ? text.rfind(separator) : text.find(separator);
  std::vector<std::string_view> parts = {text, "", ""};
  if (at != std::string_view::npos) {
    parts = {text.substr(0, at), separator, text.substr(at + separator.size())};
  } else if (from_right) {
    parts = {"", "", text};
  }
  return Value::tuple(list_of(rendering, self, parts).sequence()->items);
}

Value partition(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return partition_at(rendering, self, arguments, false);
}
Value rpartition(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return partition_at(rendering, self, arguments, true);
}

Value stripped(Rendering& rendering, const Value& self, const Arguments& arguments, Side side) {
  const Parameters given("strip", arguments, {"chars"});
  const std::string_view text = self.text()->bytes;
  const auto kept = given.given(0) ? strip_characters(text, given.text(0), side) : strip_spaces(text, side);
  return rendering.make_text(std::string(kept), self.text()->markup);
}

Value strip(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return stripped(rendering, self, arguments, Side::both);
}
Value lstrip(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return stripped(rendering, self, arguments, Side::left);
}
Value rstrip(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return stripped(rendering, self, arguments, Side::right);
}

Value removeprefix(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("removeprefix", arguments, {"prefix"}, 1);
  std::string_view text = self.text()->bytes;
  if (text.starts_with(given.text(0))) text.remove_prefix(given.text(0).size());
  return rendering.make_text(std::string(text), self.text()->markup);
}
Value removesuffix(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("removesuffix", arguments, {"suffix"}, 1);
  std::string_view text = self.text()->bytes;
  if (text.ends_with(given.text(0))) text.remove_suffix(given.text(0).size());
  return rendering.make_text(std::string(text), self.text()->markup);
}

/// The part of `self` that the parameters `start` and `end` leave, and the character it begins at; nothing when the
/// beginning lies behind the end of the text.
std::optional<std::pair<std::string_view, size_t>> window(const Value& self, const Parameters& given) {
  const auto size = static_cast<int64_t>(self.text()->characters);
  const auto place = [size](int64_t bound) { return std::max<int64_t>(bound < 0 ? bound + size : bound, 0); };
  const int64_t begin = given.given(1) ? place(given.count(1, 0)) : 0;
  const int64_t end = given.given(2) ? std::min(place(given.count(2, size)), size) : size;
  if (begin > end) return std::nullopt;
  return std::pair{characters_of(*self.text(), static_cast<size_t>(begin), static_cast<size_t>(end)),
                   static_cast<size_t>(begin)};
}

/// The character at which `sub` is found, or -1.
int64_t place_of(const Value& self, const Arguments& arguments, std::string_view name, bool from_right) {
  const Parameters given(name, arguments, {"sub", "start", "end"}, 1);
  const std::string& part = given.text(0);
  const auto place = window(self, given);
  if (!place) return -1;
  const size_t at = from_right ? place->first.rfind(part) : place->first.find(part);
  if (at == std::string_view::npos) return -1;
  return static_cast<int64_t>(place->second + count_characters(place->first.substr(0, at)));
}

Value find(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return Value::of_integer(place_of(self, arguments, "find", false));
}
Value rfind(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return Value::of_integer(place_of(self, arguments, "rfind", true));
}
Value found_index(const Value& self, const Arguments& arguments, std::string_view name, bool from_right) {
  const int64_t place = place_of(self, arguments, name, from_right);
  if (place < 0) type_error("substring not found");
  return Value::of_integer(place);
}
Value index(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return found_index(self, arguments, "index", false);
}
Value rindex(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return found_index(self, arguments, "rindex", true);
}

Value count(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters given("count", arguments, {"sub", "start", "end"}, 1);
  const auto place = window(self, given);
  return Value::of_size(place ? count_of(place->first, given.text(0)) : 0);
}

/// True when the window begins or ends with one of the texts given.
Value has_end(const Value& self, const Arguments& arguments, std::string_view name, bool at_begin) {
  const Parameters given(name, arguments, {"prefix", "start", "end"}, 1);
  const auto place = window(self, given);
  const auto fits = [&](const Value& value) {
    if (value.text() == nullptr) {
      require_defined(value);
      type_error(format("{} first arg must be str or a tuple of str, not {}", name, type_name(value)));
    }
    if (!place) return false;
    return at_begin ? place->first.starts_with(value.text()->bytes) : place->first.ends_with(value.text()->bytes);
  };
  const Sequence* several = given[0].sequence();
  if (several == nullptr || several->kind != SequenceKind::tuple) return Value::of_bool(fits(given[0]));
  return Value::of_bool(std::ranges::any_of(several->items, fits));
}

Value startswith(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return has_end(self, arguments, "startswith", true);
}
Value endswith(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return has_end(self, arguments, "endswith", false);
}

Value replace(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("replace", arguments, {"old", "new", "count"}, 2);
  const bool markup = self.text()->markup;
  const std::string old = markup ? escaped(given[0]) : given.text(0);
  const std::string fresh = markup ? escaped(given[1]) : given.text(1);
  return Value::of_text(replace_all(self.text()->bytes, old, fresh, given.count(2, -1),
                                    [&](size_t bytes) { rendering.budget.spend_text(bytes); }),
                        markup);
}

Value join(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("join", arguments, {"iterable"}, 1);
  const bool markup = self.text()->markup;
  const std::vector<Value> items = items_of(rendering, given[0]);
  std::string joined;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].text() == nullptr && !markup) {
      type_error(format("sequence item {}: expected str instance, {} found", i, type_name(items[i])));
    }
    if (i > 0) joined += self.text()->bytes;
    joined += markup ? escaped(items[i]) : items[i].text()->bytes;
    if (joined.size() > rendering.budget.text_bytes()) break;
  }
  return rendering.make_text(std::move(joined), markup);
}

constexpr auto kTextMethods = std::to_array<MethodEntry>({
    {"capitalize", text_capitalize},
    {"center", text_center},
    {"count", count},
    {"endswith", endswith},
    {"find", find},
    {"format", text_format},
    {"index", index},
    {"isalnum", text_isalnum},
    {"isalpha", text_isalpha},
    {"isascii", text_isascii},
    {"isdecimal", text_isdecimal},
    {"isdigit", text_isdigit},
    {"islower", text_islower},
    {"isnumeric", text_isnumeric},
    {"isspace", text_isspace},
    {"isupper", text_isupper},
    {"join", join},
    {"ljust", text_ljust},
    {"lower", text_lower},
    {"lstrip", lstrip},
    {"partition", partition},
    {"removeprefix", removeprefix},
    {"removesuffix", removesuffix},
    {"replace", replace},
    {"rfind", rfind},
    {"rindex", rindex},
    {"rjust", text_rjust},
    {"rpartition", rpartition},
    {"rsplit", rsplit},
    {"rstrip", rstrip},
    {"split", split},
    {"splitlines", splitlines},
    {"startswith", startswith},
    {"strip", strip},
    {"swapcase", text_swapcase},
    {"title", text_title},
    {"upper", text_upper},
    {"zfill", text_zfill},
});

}  // namespace

std::span<const MethodEntry> text_methods() {
  return kTextMethods;
}

}  // namespace dflash::jinja
