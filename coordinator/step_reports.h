// StepReports: the reports of all drafters on one step, added up.
//
// Threading: one thread. Errors: Error{internal} for a report that cannot be.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "proto/control.pb.h"

namespace dflash {

class StepReports {
 public:
  /// `steps_done`: the step before the first that is reported.
  StepReports(int drafters, int64_t steps_done) : drafters_(drafters), added_up_(steps_done) {}

  void add(int drafter, const StepReport& report);
  /// The next step that all drafters have reported, in order: sums and counts added in the order of the drafters, the
  /// longest step_ns, the mean wait_ns; learning rate and gradient norm are the same for all.
  [[nodiscard]] std::optional<StepReport> next();

 private:
  using OfOneStep = std::vector<std::optional<StepReport>>;  // by drafter

  const int drafters_;
  int64_t added_up_;            // steps before this one are complete, and given out
  std::deque<OfOneStep> open_;  // steps added_up_ + 1, ...: a drafter may be one ahead of another
};

}  // namespace dflash
