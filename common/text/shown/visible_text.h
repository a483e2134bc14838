// Foreign text made fit for a terminal: nothing in it can move the cursor, colour, hide or turn around what stands
// near.
//
// Threading: functions only.
#pragma once

#include <string>
#include <string_view>

namespace dflash {

/// `text` with \x1b, \r, \u202e and the like spelled out, and U+FFFD for what is no UTF-8. Line ends and tabs stay.
[[nodiscard]] std::string visible_text(std::string_view text);
/// The same on one line: \n and \t too.
[[nodiscard]] std::string visible_line(std::string_view text);
/// JSON on one line with such characters as \u escapes: the same value to every reader.
[[nodiscard]] std::string visible_json(std::string_view json);

}  // namespace dflash
