// A clock that stands still, for texts that must be the same on every day.
#pragma once

#include <ctime>
#include <functional>
#include <string>

namespace dflash {

/// `time` as YYYY-MM-DD HH:MM:SS, for ChatOptions::clock. Error{config} for anything else.
[[nodiscard]] std::function<std::tm()> fixed_clock(const std::string& time);

}  // namespace dflash
