// Arithmetic of Python on its two kinds of numbers, and numbers written as text.
//
// Threading: functions only.
#pragma once

#include <optional>
#include <string_view>

#include "common/text/chat_template/values/operators.h"

namespace dflash::jinja {

/// `/` gives a float, and so does ** with a negative exponent. Fails beyond 128 bits and for a division by zero.
[[nodiscard]] Value on_integers(Operator what, Integer left, Integer right);
[[nodiscard]] double on_reals(Operator what, double left, double right);

/// int(text, base): white space around it, a sign, underscores between digits, a prefix that fits the base. Nothing
/// when it is no integer; fails beyond 128 bits.
[[nodiscard]] std::optional<Integer> parse_integer(std::string_view text, int base);
/// float(text); nothing when it is no number.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);
/// int(value), cut towards zero; nothing for NaN and infinity, fails beyond 128 bits.
[[nodiscard]] std::optional<Integer> cut(double value);
/// round(value, digits), half to even on the exact decimal value.
[[nodiscard]] double round_half_even(double value, int digits);

/// An index, a width, a count: an integral value. Fails, naming `what`, for other types; clamped to 62 bits.
[[nodiscard]] int64_t to_count(const Value& value, std::string_view what);

}  // namespace dflash::jinja
