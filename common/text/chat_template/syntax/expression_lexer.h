// One token of an expression: names, numbers, strings, operators.
//
// Threading: functions only.
#pragma once

#include <string_view>

#include "common/text/chat_template/syntax/token.h"

namespace dflash::jinja {

/// Reads the token at the beginning of `rest`, which is neither empty nor white space, and removes it. `line` is the
/// token's line and is moved on over the newlines in a string.
[[nodiscard]] Token next_expression_token(std::string_view& rest, int& line, bool behind_dot);

}  // namespace dflash::jinja
