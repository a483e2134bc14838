#include "common/train/lr_schedule.h"

#include <cmath>
#include <numbers>

namespace dflash {

LrSchedule::LrSchedule(double lr, double warmup_ratio, int64_t total_steps)
    : lr_(lr),
      warmup_steps_(static_cast<int64_t>(warmup_ratio * static_cast<double>(total_steps) + 1e-9)),  // 0.15 * 20 is 3
      total_steps_(total_steps) {}

double LrSchedule::at(int64_t step) const {
  if (step < warmup_steps_) return lr_ * static_cast<double>(step + 1) / static_cast<double>(warmup_steps_);
  const double progress = static_cast<double>(step - warmup_steps_) / static_cast<double>(total_steps_ - warmup_steps_);
  return lr_ * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

}  // namespace dflash
