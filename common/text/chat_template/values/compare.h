// Equality, order and membership of values, by the rules of Python.
//
// Threading: functions only.
#pragma once

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

/// ==. Numbers of different types are equal when their values are; anything else of two types is not.
[[nodiscard]] bool are_equal(const Value& left, const Value& right);

/// -1, 0 or 1, and 2 when a NaN is among them. Fails for types without an order, naming `sign` (as in '<').
[[nodiscard]] int order_of(const Value& left, const Value& right, std::string_view sign);

/// left < right.
[[nodiscard]] bool is_less(const Value& left, const Value& right);

/// `item in container`.
[[nodiscard]] bool contains(const Value& container, const Value& item);

}  // namespace dflash::jinja
