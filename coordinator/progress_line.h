// The progress line of a run:
//
//   step 120/600 (20 %)  loss 2.412  acc .41 (.62 .51 .38 .30)  accept 2.1  12.3k tok/s  3.9k sup/s  ETA 1m32s
//   queue 12/60  drafter waits 3 %                                                          (all on one line)
//
// Pure. Limits: at most 160 characters; of the accuracy by position at most 8 are shown, fewer when room is short.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

constexpr size_t kProgressLineWidth = 160;

struct Progress {
  int64_t step = 0;
  int64_t total_steps = 0;
  std::optional<double> loss;
  // Of the newest metric step; nothing before the first one.
  std::optional<double> acc;
  std::vector<std::optional<double>> acc_per_position;
  std::optional<double> accept_len;
  // Over the last steps; nothing before there is a rate.
  std::optional<double> tokens_per_s;
  std::optional<double> supervised_positions_per_s;
  std::optional<double> eta_s;
  int64_t queue_level = 0;
  int64_t queue_depth = 0;
  double drafter_wait_share = 0;
};

[[nodiscard]] std::string progress_line(const Progress& progress);

}  // namespace dflash
