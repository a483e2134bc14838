// A clock that stands still, for output that must be the same on every day.
#pragma once

#include <ctime>
#include <functional>
#include <string>

namespace dflash {

/// `time` as YYYY-MM-DD HH:MM:SS; empty: the clock runs (an empty function). Error{config} for anything else.
[[nodiscard]] std::function<std::tm()> clock_at(const std::string& time);

}  // namespace dflash
