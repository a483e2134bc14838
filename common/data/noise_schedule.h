// NoiseSchedule: how strong the Gaussian noise on the hidden states of a batch is.
//
// The strength follows the optimizer step that a batch is planned for, s div (drafters x accumulation), also when a
// step is skipped: it is a function of the sequence number alone, the same on every rank and after a resume.
#pragma once

#include <cstdint>

#include "common/data/captured_states.h"

namespace dflash {

struct NoiseSettings {
  enum class Shape { none, constant, linear, cosine };
  Shape shape = Shape::none;
  double from = 0;               // standard deviation at step 0; constant: at all
  double to = 0;                 // from step `steps` on
  int64_t steps = 1;             // at least 1
  int64_t batches_per_step = 1;  // drafters x accumulation
  uint64_t seed = 0;
};

class NoiseSchedule {
 public:
  NoiseSchedule() = default;  // no noise
  explicit NoiseSchedule(const NoiseSettings& settings) : settings_(settings) {}

  /// With p = min(1, step / steps): constant: from; linear: from + (to - from) p; cosine: to + (from - to) (1 + cos(pi
  /// p)) / 2. `step` counts from 0.
  [[nodiscard]] double strength_at(int64_t step) const;
  [[nodiscard]] bool is_on() const { return settings_.shape != NoiseSettings::Shape::none; }
  [[nodiscard]] StateNoise of_batch(int64_t sequence) const;

 private:
  NoiseSettings settings_;
};

}  // namespace dflash
