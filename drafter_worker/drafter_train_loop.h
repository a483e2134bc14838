// DrafterTrainLoop: batches in the order of their sequence numbers -> optimizer steps -> reports and checkpoints.
//
// Checkpoints: the coordinator names the next step to save before the drafter reaches it: one request is always known,
// the first for step 0. Threading: the thread that calls run().
#pragma once

#include <cstdint>

#include "common/checkpoint/checkpoint_store.h"
#include "common/data/batch_layout.h"
#include "common/mpi/worker_main.h"
#include "common/train/lr_schedule.h"
#include "drafter_worker/batch_receiver.h"
#include "drafter_worker/step_report.h"
#include "drafter_worker/train_step.h"

namespace dflash {

/// The parts the loop works with; made by main, all outlive the loop.
struct DrafterParts {
  const DrafterModel& drafter;
  DrafterParameters& parameters;
  Optimizer& optimizer;
  TrainStep& step;
  BatchReceiver& batches;
  const LrSchedule& schedule;
};

class DrafterTrainLoop {
 public:
  DrafterTrainLoop(const WorkerContext& worker, const DrafterParts& parts, int64_t total_steps);

  /// Trains all steps. Error{stall} when batches or the coordinator do not come, {not_finite} when the loss is not a
  /// number.
  void run();

 private:
  void run_step(int64_t step);
  void train_batch(int64_t sequence, bool want_metrics, StepCounts& counts);
  void save_if_due(int64_t step);
  void await_checkpoint_request();
  void send(const ControlMessage& message) const;

  const WorkerContext& worker_;
  DrafterParts parts_;
  CheckpointStore store_;
  int64_t total_steps_;
  int64_t checkpoint_step_ = -1;
  int64_t next_sequence_ = 0;
};

}  // namespace dflash
