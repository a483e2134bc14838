#include "common/base/amount_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/format.h"

namespace dflash {

std::string rate_text(double rate) {
  if (rate < 999.5) return format("{:.0f}", rate);
  if (rate < 999.95e3) return format("{:.1f}k", rate / 1e3);
  return format("{:.1f}M", rate / 1e6);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  const int64_t minutes = whole / 60, hours = minutes / 60, days = hours / 24;
  if (days > 0) return format("{}d{:02}h", days, hours % 24);
  if (hours > 0) return format("{}h{:02}m", hours, minutes % 60);
  if (minutes > 0) return format("{}m{:02}s", minutes, whole % 60);
  return format("{}s", whole);
}

}  // namespace dflash
