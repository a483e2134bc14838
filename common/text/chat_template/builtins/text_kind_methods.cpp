#include "common/text/chat_template/builtins/text_kind_methods.h"

#include <algorithm>

#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/letter_case.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

using CaseFunction = std::string (*)(std::string_view);

Value in_case(Rendering& rendering, const Value& self, const Arguments& arguments, CaseFunction change) {
  const Parameters none("case", arguments, {});
  return rendering.make_text(change(self.text()->bytes), self.text()->markup);
}

Value padded(Rendering& rendering, const Value& self, size_t before, size_t behind, std::string_view fill) {
  const size_t added = rendering.budget.product(fill.size(), before) + rendering.budget.product(fill.size(), behind);
  rendering.budget.spend_text(self.text()->bytes.size() + added);
  std::string text;
  for (size_t i = 0; i < before; ++i) text += fill;
  text += self.text()->bytes;
  for (size_t i = 0; i < behind; ++i) text += fill;
  return Value::of_text(std::move(text), self.text()->markup);
}

size_t missing(const Value& self, int64_t width) {
  const auto size = static_cast<int64_t>(self.text()->characters);
  return width > size ? static_cast<size_t>(width - size) : 0;
}

std::string fill_of(const Parameters& given) {
  const std::string fill = given.text_or(1, " ");
  if (count_characters(fill) != 1) type_error("The fill character must be exactly one character long");
  return fill;
}

/// True for a text that is not empty and whose characters all have one of the classes.
Value all_of(const Value& self, const Arguments& arguments, uint16_t classes) {
  const Parameters none("is...", arguments, {});
  const std::string& text = self.text()->bytes;
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_utf8(text.data() + at);
    if ((CharacterClasses::get().of(character.code_point) & classes) == 0) return Value::of_bool(false);
    at += character.bytes;
  }
  return Value::of_bool(!text.empty());
}

}  // namespace

Value text_capitalize(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return in_case(rendering, self, arguments, capitalized);
}
Value text_lower(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return in_case(rendering, self, arguments, lower_case);
}
Value text_swapcase(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return in_case(rendering, self, arguments, swapped_case);
}
Value text_title(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return in_case(rendering, self, arguments, title_case);
}
Value text_upper(Rendering& rendering, const Value& self, const Arguments& arguments) {
  return in_case(rendering, self, arguments, upper_case);
}

Value centered(Rendering& rendering, const Value& self, int64_t width, std::string_view fill) {
  const size_t lacking = missing(self, width);
  const size_t before = lacking / 2 + (lacking & static_cast<size_t>(width) & 1U);  // Python's side for an odd one
  return padded(rendering, self, before, lacking - before, fill);
}

Value text_center(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("center", arguments, {"width", "fillchar"}, 1);
  return centered(rendering, self, given.count(0, 0), fill_of(given));
}
Value text_ljust(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("ljust", arguments, {"width", "fillchar"}, 1);
  return padded(rendering, self, 0, missing(self, given.count(0, 0)), fill_of(given));
}
Value text_rjust(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("rjust", arguments, {"width", "fillchar"}, 1);
  return padded(rendering, self, missing(self, given.count(0, 0)), 0, fill_of(given));
}

Value text_zfill(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("zfill", arguments, {"width"}, 1);
  const Value zeros = padded(rendering, self, missing(self, given.count(0, 0)), 0, "0");
  const std::string& text = self.text()->bytes;
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return zeros;
  std::string signed_text = zeros.text()->bytes;  // the sign goes before the zeros
  std::swap(signed_text[0], signed_text[signed_text.size() - text.size()]);
  return rendering.make_text(std::move(signed_text), self.text()->markup);
}

Value text_isalnum(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return all_of(self, arguments, CharacterClass::kLetter | CharacterClass::kNumber);
}
Value text_isalpha(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return all_of(self, arguments, CharacterClass::kLetter);
}
Value text_isascii(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("isascii", arguments, {});
  return Value::of_bool(self.text()->ascii());
}
Value text_isdecimal(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return all_of(self, arguments, CharacterClass::kDecimalNumber);
}
Value text_isdigit(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return all_of(self, arguments, CharacterClass::kDecimalNumber);
}
Value text_isnumeric(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  return all_of(self, arguments, CharacterClass::kNumber);
}
Value text_isspace(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("isspace", arguments, {});
  return Value::of_bool(!self.text()->bytes.empty() && strip_spaces(self.text()->bytes).empty());
}
Value text_islower(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("islower", arguments, {});
  return Value::of_bool(is_lower_case(self.text()->bytes));
}
Value text_isupper(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("isupper", arguments, {});
  return Value::of_bool(is_upper_case(self.text()->bytes));
}

}  // namespace dflash::jinja
