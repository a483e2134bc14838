// Foreign text of many lines, made fit for a terminal: what would move the cursor, change colours or turn the direction
// of writing is shown as an escape instead.
//
// Threading: functions only.
#pragma once

#include <string>
#include <string_view>

namespace dflash {

/// `text` with \x1b, \r, \u202e and the like spelled out; line ends and tabs stay, U+FFFD stands for what is no UTF-8.
[[nodiscard]] std::string terminal_text(std::string_view text);

}  // namespace dflash
