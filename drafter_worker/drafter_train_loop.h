// DrafterTrainLoop: this drafter's batches in the order of their sequence numbers -> optimizer steps -> reports and
// checkpoints.
//
// Step n (from 1) takes the batches (n-1) A D ... n A D - 1 for A micro-steps and D drafters; drafter d has those with
// s mod D = d. At the boundary behind each step, and before the first, the lead drafter decides for all whether to save
// and whether to stop. The coordinator names the next step to save before the lead reaches it: one request is always
// known, the first for step 0.
//
// Threading: the thread that calls run().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint_store.h"
#include "common/data/batch_layout.h"
#include "common/mpi/worker_main.h"
#include "common/train/lr_schedule.h"
#include "drafter_worker/batch_loader.h"
#include "drafter_worker/gradient_sync.h"
#include "drafter_worker/nan_guard.h"
#include "drafter_worker/step_report.h"
#include "drafter_worker/train_step.h"

namespace dflash {

/// The parts the loop works with; made by main, all outlive the loop.
struct DrafterParts {
  const DrafterModel& drafter;
  DrafterParameters& parameters;
  Optimizer& optimizer;
  TrainStep& step;
  BufferedHSQueue& batches;
  BatchLoader& loader;
  const LrSchedule& schedule;
  int threads;                   // that compute
  at::Device device = at::kCPU;  // where the parameters lie: the loader's device, as LibTorch calls it
};

class DrafterTrainLoop {
 public:
  /// A resumed run: the parts hold the state behind worker.resume->step().
  DrafterTrainLoop(const WorkerContext& worker, const DrafterParts& parts, int64_t total_steps);

  /// Trains until the last step, or until the coordinator stops the run. Error{stall} when batches, drafters or the
  /// coordinator do not come, {not_finite} when steps in a row were not finite (nan_guard.h).
  void run();

 private:
  void run_step(int64_t step);
  /// A batch with its anchors, on its way to the device; one that is not finite goes no further.
  struct PreparedBatch {
    int64_t sequence = -1;
    std::optional<LoadedBatch> loaded;       // when it is finite
    std::map<std::string, Json> statistics;  // when it is not
    HiddenStateBatch ids;                    // where the device's memory cannot be read
    std::vector<int64_t> anchors;
    int64_t eligible_anchors = 0;
  };
  void train_next_batch(int64_t step, bool want_metrics, StepCounts& counts);
  [[nodiscard]] PreparedBatch next_batch(StepCounts& counts);
  [[nodiscard]] PreparedBatch prepare(QueuedBatch&& batch);
  void train(PreparedBatch&& batch, int64_t step, bool want_metrics);
  /// Its statistics written down, the batch kept: read back from the device it was trained on.
  void record_trained(int64_t step, const std::string& reason);
  void let_go();
  /// The batch in `bytes`, for a kernel; `ids` as in PreparedBatch.
  [[nodiscard]] HiddenStateBatch view_batch(std::span<std::byte> bytes, const HiddenStateBatch& ids) const;
  void note_bad_batch(int64_t step, int64_t sequence, const std::string& reason,
                      const std::map<std::string, Json>& statistics);
  void finish_step(int64_t step, const StepResult& result);
  /// True when nobody trains any further.
  bool pass_boundary(int64_t step);
  [[nodiscard]] Directive decide(int64_t step);
  void save(int64_t step, bool final);
  void await_checkpoint_request();
  void take_order(const ControlMessage& message);

  const WorkerContext& worker_;
  DrafterParts parts_;
  GradientSync sync_;
  CheckpointStore store_;
  NanGuard guard_;
  std::array<HiddenStateBatch, 2> ids_;  // of the batch that is trained on and the one ahead, by turns
  size_t ids_taken_ = 0;
  std::optional<PreparedBatch> ahead_;  // the next one, when it came while this one was trained on
  std::optional<LoadedBatch> trained_;  // the last one, until the next or the end of the step: what went wrong may
                                        // show there only
  const int64_t drafters_;
  const int64_t steps_done_;
  const int64_t total_steps_;
  int64_t next_sequence_;
  int64_t bad_step_ = 0;  // the last one of which a batch was written down as not finite
  // Orders of the coordinator, known to the lead drafter alone.
  int64_t checkpoint_step_ = -1;
  bool stop_requested_ = false;
};

}  // namespace dflash
