// The options that the reference outputs for templates were made with.
#pragma once

#include "common/text/chat_template/chat_template.h"

namespace dflash::test {

/// Friday, 2026-01-02 03:04:05.
inline std::tm fixed_time() {
  std::tm time{};
  time.tm_year = 126;
  time.tm_mon = 0;
  time.tm_mday = 2;
  time.tm_hour = 3;
  time.tm_min = 4;
  time.tm_sec = 5;
  time.tm_wday = 5;
  time.tm_yday = 1;
  return time;
}

inline ChatOptions options_at_fixed_time() {
  ChatOptions options;
  options.clock = fixed_time;
  return options;
}

}  // namespace dflash::test
