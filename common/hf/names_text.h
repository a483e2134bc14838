// Long lists of tensors and files in one line.
#pragma once

#include <string>
#include <vector>

namespace dflash {

/// "12: a, b, c and 9 more", fit for a terminal whatever the names hold.
[[nodiscard]] std::string names_text(const std::vector<std::string>& names);

}  // namespace dflash
