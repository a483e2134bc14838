#include "common/text/chat_template/builtins/attribute_path.h"

#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/letter_case.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/python_text.h"
#include "common/text/chat_template/values/string_text.h"

namespace dflash::jinja {

AttributePath::AttributePath(const Value& attribute) {
  if (attribute.is_none()) return;
  if (attribute.text() == nullptr) {
    parts_.push_back(attribute);
    return;
  }
  for (const std::string_view part : split_at(attribute.text()->bytes, ".", -1, false)) {
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    parts_.push_back(number ? Value::of_integer(parse_integer(part, 10).value_or(0))
                            : Value::of_text(std::string(part)));
  }
}

Value AttributePath::of(Value value, const Value& otherwise) const {
  for (const Value& part : parts_) {
    value = item(value, part);
    if (value.is_undefined() && !otherwise.is_none()) value = otherwise;
  }
  return value;
}

Value soft_text(const Value& value) {
  return value.text() != nullptr ? value : Value::of_text(str(value));
}

Value without_case(const Value& value) {
  return value.text() != nullptr ? Value::of_text(lower_case(value.text()->bytes)) : value;
}

}  // namespace dflash::jinja
