// Rates and times for progress lines.
#pragma once

#include <string>

namespace dflash {

/// 950, 12.3k, 4.0M
[[nodiscard]] std::string rate_text(double rate);

/// 45s, 1m32s, 3h05m, 12d04h
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace dflash
