#include "common/data/noise_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dflash {

double NoiseSchedule::strength_at(int64_t step) const {
  const double p = std::min(1.0, static_cast<double>(step) / static_cast<double>(settings_.steps));
  const double from = settings_.from, to = settings_.to;
  switch (settings_.shape) {
    case NoiseSettings::Shape::constant:
      return from;
    case NoiseSettings::Shape::linear:
      return from + (to - from) * p;
    case NoiseSettings::Shape::cosine:
      return to + (from - to) * 0.5 * (1.0 + std::cos(std::numbers::pi * p));
    case NoiseSettings::Shape::none:
      break;
  }
  return 0;
}

StateNoise NoiseSchedule::of_batch(int64_t sequence) const {
  return {strength_at(sequence / settings_.batches_per_step), settings_.seed, sequence};
}

}  // namespace dflash
