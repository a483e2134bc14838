// How Python prints values: str(), repr(), and the shortest text of a float.
//
// Threading: functions only.
#pragma once

#include <string>
#include <string_view>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

/// str(value); an undefined value is empty. Fails for what would print an address: generators and functions.
[[nodiscard]] std::string str(const Value& value);
/// Appends str(value).
void append_str(std::string& text, const Value& value);
/// Appends repr(value).
void append_repr(std::string& text, const Value& value);
[[nodiscard]] std::string repr(const Value& value);
[[nodiscard]] std::string repr(std::string_view text);

[[nodiscard]] std::string integer_text(Integer value);
/// The shortest text that reads back as `value`: 0.1, 1e+16, 1e-05, 100.0, nan, inf.
[[nodiscard]] std::string real_text(double value);

}  // namespace dflash::jinja
