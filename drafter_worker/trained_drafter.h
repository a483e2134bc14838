// TrainedDrafter: what a drafter worker trains, and the step that trains it.
#pragma once

#include "common/plan/run_plan.h"
#include "drafter_worker/train_step.h"

namespace dflash {

struct TrainedDrafter {
  /// On `device`, with first weights from run.seed. Reads embedding and head of the target.
  TrainedDrafter(const RunConfig& config, const RunPlan& plan, at::Device device);
  TrainedDrafter(const TrainedDrafter&) = delete;
  TrainedDrafter& operator=(const TrainedDrafter&) = delete;

  // Each uses those above it.
  const TargetEnds ends;
  DrafterParameters parameters;
  const DrafterModel model;
  Optimizer optimizer;
  TrainStep step;
};

}  // namespace dflash
