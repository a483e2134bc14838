// strftime with English names, whatever the locale of the process.
//
// Threading: functions only.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace dflash::jinja {

/// `pattern` with its conversions (%Y %m %d %H %M %S ...) filled from `time`. Fails for an unknown conversion.
[[nodiscard]] std::string time_text(std::string_view pattern, const std::tm& time);

}  // namespace dflash::jinja
