// The escapes of a string literal: \n \t \\ \' \" \xhh \uhhhh \Uhhhhhhhh \ooo, as Python reads them.
//
// Threading: functions only. Limits: no \N{NAME} and no lone surrogates: refused.
#pragma once

#include <string>
#include <string_view>

namespace dflash::jinja {

/// What stands between the quotes, unescaped. Throws a syntax Failure for an escape that is cut short.
[[nodiscard]] std::string string_literal(std::string_view content, int line);

}  // namespace dflash::jinja
