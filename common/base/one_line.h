// Foreign text, out of files and of other programs, made fit for a terminal.
#pragma once

#include <string>

#include "common/base/json.h"

namespace dflash {

/// `text` with '?' for every control character, line ends too.
[[nodiscard]] std::string one_line(std::string text);

/// `value` as JSON on one line of ASCII; what is longer than `most_bytes` is cut and ends in "...".
[[nodiscard]] std::string json_line(const Json& value, size_t most_bytes);

}  // namespace dflash
