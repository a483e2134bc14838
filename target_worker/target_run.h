// What a target does whether it serves drafters or records alone: load its model and documents, then compute every
// batch it is given.
#pragma once

#include <vector>

#include "common/data/preloaded_dataset.h"
#include "common/model/target_model.h"
#include "common/plan/run_plan.h"
#include "target_worker/target_forward_loop.h"

namespace dflash {

/// The layers up to the deepest captured one: the forward stops behind it.
[[nodiscard]] TargetModel load_target(const RunConfig& config, const RunPlan& plan, at::Device device);

/// What a target computes from and on, and where it sends.
struct TargetParts {
  Device& device;
  at::Device torch_device;  // the same, as LibTorch calls it
  const TargetModel& target;
  PreloadedDataset& dataset;
  const NoiseSchedule& noise;
  std::vector<Sender*> senders;  // by drafter
};

/// Until there are no more leases or the run is stopped; then says in the log where the time went. Errors as
/// TargetForwardLoop::run.
void compute_batches(const WorkerContext& worker, const RunPlan& plan, const TargetParts& parts);

}  // namespace dflash
