// Python's arithmetic on values: + - * / // % **, with texts and lists where Python has them.
//
// Threading: as Rendering.
#pragma once

#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

enum class Operator : uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power };

/// Fails for types that do not go together, for a division by zero and for integers beyond 128 bits.
[[nodiscard]] Value apply(Rendering& rendering, Operator what, const Value& left, const Value& right);

[[nodiscard]] Value negate(const Value& value);
[[nodiscard]] Value plus(const Value& value);

/// `text` as Markup shows it: & < > ' " written as entities.
[[nodiscard]] std::string escape_markup(std::string_view text);
/// escape(value): Markup stays as it is, anything else is printed and escaped.
[[nodiscard]] std::string escaped(const Value& value);

}  // namespace dflash::jinja
