// A clock that stands still, for texts that must be the same on every day.
#pragma once

#include <ctime>
#include <functional>
#include <string>

namespace dflash {

/// What templates see as the time when nobody says another one: the same text on every day, in training as in use.
constexpr const char* kUsualTime = "2026-01-01 00:00:00";

/// `time` as YYYY-MM-DD HH:MM:SS, for ChatOptions::clock. Error{config} for anything else.
[[nodiscard]] std::function<std::tm()> fixed_clock(const std::string& time);

}  // namespace dflash
