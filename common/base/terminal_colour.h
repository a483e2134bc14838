// Whether to write in colours.
#pragma once

#include <string_view>

namespace dflash {

/// `choice`: "always", "never", or "auto": when standard output is a terminal, unless NO_COLOR is set and not empty
/// (no-color.org) or TERM is dumb.
[[nodiscard]] bool wants_colour(std::string_view choice);

}  // namespace dflash
