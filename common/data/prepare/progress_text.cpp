#include "common/data/prepare/progress_text.h"

#include <algorithm>
#include <cmath>

#include "common/base/amount_text.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr int kBarWidth = 20;

std::string bar(double share) {
  const auto filled = static_cast<size_t>(share * kBarWidth);
  return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

}  // namespace

std::string progress_text(const PrepareProgress& progress) {
  const double seconds = std::max(progress.seconds, 1e-9);
  const auto per_second = [&](int64_t count) { return static_cast<double>(count) / seconds; };
  const std::string rates = format("{} rows kept, {} left out, {} rows/s, {} tokens/s", progress.kept, progress.dropped,
                                   rate_text(per_second(progress.rows)), rate_text(per_second(progress.tokens)));
  if (progress.input_bytes == 0) return rates;
  const double share =
      std::min(1.0, static_cast<double>(progress.done_bytes) / static_cast<double>(progress.input_bytes));
  const double speed = per_second(progress.done_bytes - progress.resumed_bytes);
  std::string text = format("{:3.0f} % [{}] {}, {:.1f} MB/s", std::floor(100 * share), bar(share), rates, speed * 1e-6);
  if (progress.last) return text + format(", {} in all", duration_text(progress.seconds));
  if (speed <= 0) return text;
  return text +
         format(", {} to go", duration_text(static_cast<double>(progress.input_bytes - progress.done_bytes) / speed));
}

}  // namespace dflash
