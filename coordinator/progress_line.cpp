#include "coordinator/progress_line.h"

#include <algorithm>

#include "common/base/amount_text.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr size_t kMostPositions = 8;

/// .41, 1.0, or - for nothing.
std::string share_text(const std::optional<double>& share) {
  if (!share) return "-";
  const std::string text = format("{:.2f}", *share);
  return text.starts_with("0.") ? text.substr(1) : text.substr(0, 3);
}

std::string accuracy_text(const Progress& progress, size_t shown) {
  std::string text = format("  acc {}", share_text(progress.acc));
  const size_t positions = progress.acc_per_position.size();
  if (shown == 0 || positions == 0) return text;
  for (size_t k = 0; k < std::min(shown, positions); ++k) {
    text += (k == 0 ? " (" : " ") + share_text(progress.acc_per_position[k]);
  }
  return text + (positions > shown ? " ..)" : ")");
}

std::string line_with(const Progress& progress, size_t shown_positions) {
  const int64_t percent = progress.total_steps > 0 ? 100 * progress.step / progress.total_steps : 0;
  std::string line = format("step {}/{} ({} %)", progress.step, progress.total_steps, percent);
  if (progress.loss) line += format("  loss {:.3f}", *progress.loss);
  if (progress.acc) line += accuracy_text(progress, shown_positions);
  if (progress.accept_len) line += format("  accept {:.1f}", *progress.accept_len);
  if (progress.tokens_per_s) line += format("  {} tok/s", rate_text(*progress.tokens_per_s));
  if (progress.supervised_positions_per_s)
    line += format("  {} sup/s", rate_text(*progress.supervised_positions_per_s));
  if (progress.eta_s) line += format("  ETA {}", duration_text(*progress.eta_s));
  line += format("  queue {}/{}", progress.queue_level, progress.queue_depth);
  return line + format("  drafter waits {:.0f} %", 100 * progress.drafter_wait_share);
}

}  // namespace

std::string progress_line(const Progress& progress) {
  size_t shown = kMostPositions;
  std::string line = line_with(progress, shown);
  while (line.size() > kProgressLineWidth && shown > 0) line = line_with(progress, --shown);
  return line.substr(0, kProgressLineWidth);
}

}  // namespace dflash
