// Learning rate of a step: linear warm-up from 1/w, then a cosine to 0 (dflash-semantics 3.14; table 9.5, column
// "ours").
#pragma once

#include <cstdint>

namespace dflash {

class LrSchedule {
 public:
  /// `warmup_ratio` of `total_steps`, rounded down, is the warm-up.
  LrSchedule(double lr, double warmup_ratio, int64_t total_steps);
  /// Rate of step `step`, counted from 0. s < w: lr (s+1)/w; else lr (1 + cos(pi (s-w)/(T-w))) / 2.
  [[nodiscard]] double at(int64_t step) const;
  [[nodiscard]] int64_t warmup_steps() const { return warmup_steps_; }

 private:
  double lr_;
  int64_t warmup_steps_;
  int64_t total_steps_;
};

}  // namespace dflash
