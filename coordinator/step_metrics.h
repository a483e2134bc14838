// StepMetrics: what one optimizer step showed, computed from the sums and counts of the drafter's StepReport.
//
// Threading: plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/control.pb.h"

namespace dflash {

struct StepMetrics {
  int64_t step = 0;
  std::optional<double> loss;  // weighted mean; nothing when no position had weight
  double lr = 0;
  double grad_norm = 0;
  int64_t tokens = 0;  // positions of the packs, padding included
  int64_t supervised_positions = 0;
  int64_t queue_level = 0;                // batches that were ready when the step began
  int64_t queue_peak = 0;                 // most that were ready at once since the last step, over all drafters
  bool skipped = false;                   // numbers were not finite: no weight was changed
  double step_s = 0;                      // whole step, waiting included
  double drafter_wait_share = 0;          // of the step, waiting for batches
  std::optional<double> anchor_coverage;  // anchors per eligible position; nothing when there was none
  // Metric steps only.
  std::optional<double> acc;                            // over all positions of the blocks
  std::vector<std::optional<double>> acc_per_position;  // index 0 is position 1; empty between metric steps
  std::optional<double> accept_len;                     // estimated acceptance length, with the bonus token
};

[[nodiscard]] StepMetrics step_metrics(const StepReport& report);

/// The line of metrics.jsonl, without its end of line: numbers round-trip exactly, what is not finite is null.
[[nodiscard]] std::string metrics_line(const StepMetrics& metrics);

}  // namespace dflash
