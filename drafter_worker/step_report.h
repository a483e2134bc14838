// What the drafter tells the coordinator after a step.
#pragma once

#include "drafter_worker/train_step.h"
#include "proto/control.pb.h"

namespace dflash {

/// Sums over the batches of one step that TrainStep does not know.
struct StepCounts {
  int64_t tokens = 0;
  int64_t anchors = 0;
  int64_t eligible_anchors = 0;
  int64_t queue_level = 0;  // when the step began
  int64_t queue_peak = 0;   // since the last step
  int64_t skipped_batches = 0;
  int64_t wait_ns = 0;  // for batches
};

/// `step` counts from 1.
[[nodiscard]] StepReport make_step_report(int64_t step, const StepResult& result, const StepCounts& counts, double lr,
                                          int64_t step_ns);

}  // namespace dflash
