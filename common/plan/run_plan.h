// RunPlan: everything that follows from the settings, the target's config.json and the cast, before anything is
// allocated.
//
// A pure function, computed by every rank; what must be equal is compared by hash (layout) in the handshake. Impossible
// combinations that need the target's sizes are found here: Error{config} naming the key and what would work.
#pragma once

#include <cstdint>
#include <string>

#include "common/data/batch_layout.h"
#include "common/hf/drafter_config.h"
#include "common/hf/model_config.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// What the plan needs to know of the machine.
struct MachineFacts {
  int64_t cores = 0;
  int64_t memory_bytes = 0;
};
[[nodiscard]] MachineFacts read_machine_facts();

/// Threads of each worker: as `given` by the settings, or for 0 the cores divided among the workers, at least 1.
[[nodiscard]] int plan_threads(int32_t given, int64_t cores, int workers);

struct RunPlan {
  int targets = 1;  // 0: the batches come from the folder data.recorded
  int drafters = 1;
  ModelConfig target;
  DrafterConfig drafter;
  DType compute_dtype = DType::f32;  // of the target, and of what travels
  BatchLayout layout;
  double decay_gamma = 0;
  int target_threads = 1;
  int drafter_threads = 1;
  int64_t queue_depth = 0;         // in force: the least of hs_queue_depth and queue_bytes / slot_bytes, at least 1
  std::string queue_depth_reason;  // which of the two it was
  int64_t slots_per_link = 0;      // ring of each target -> drafter link, or of batches read ahead from a folder
  int64_t min_ready = 1;           // batches with which a drafter begins, or all it has left (queue_plan.h)

  /// Ways on which batches come: a recorded folder counts as one target.
  [[nodiscard]] int64_t links() const { return int64_t{targets == 0 ? 1 : targets} * drafters; }
};

[[nodiscard]] RunPlan make_run_plan(const RunConfig& config, const ModelConfig& target, int targets, int drafters,
                                    const MachineFacts& machine);

/// Writes into the settings what the plan took from this machine (threads, queue), so that ranks elsewhere plan the
/// same.
void fix_machine_settings(RunConfig& config, const RunPlan& plan);

/// The plan as lines for a person: ranks, captured layers, drafter sizes, bytes per batch, queue, threads.
[[nodiscard]] std::string describe_run_plan(const RunPlan& plan);

/// Optimizer steps of the run and batches left out at its end.
struct StepCount {
  int64_t steps = 0;
  int64_t batches = 0;   // steps x accumulation x drafters
  int64_t left_out = 0;  // batches of the last epoch that do not fill a step; 0 when train.steps is given
};
/// `epoch_batches`: packs of each of the train.epochs epochs together; not used when train.steps is given.
/// Error{config} when not even one step is filled.
[[nodiscard]] StepCount count_steps(const RunConfig& config, int drafters, int64_t epoch_batches);

}  // namespace dflash
