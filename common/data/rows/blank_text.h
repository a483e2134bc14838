// Whether a text says anything.
#pragma once

#include <string_view>

namespace dflash {

/// True when `text` (UTF-8) holds white space only, as Python's str.isspace sees it, or nothing.
[[nodiscard]] bool is_blank(std::string_view text);

}  // namespace dflash
