// CoordinatorLoop: reads what the workers say and gives every message to its owner, until the run is complete.
//
//   lease_request, batch_trained -> BatchScheduler        -> lease_grant to targets
//   step_report                  -> StepReports           -> RunRecorder, Console
//   checkpoint_part              -> CheckpointController  -> checkpoint_request to the lead drafter, commit
//   (what ends a run badly is thrown by the Crew)
//
// A signal (SIGINT, SIGTERM): all ranks are asked for a sign of life, within 1 s. When one gives none, RunFailure names
// it, and nothing is saved: a save needs them all. Else the lead drafter is told to save at the next step boundary.
//
// A part is committed when all drafters have reported its step: a checkpoint without its line of metrics could not be
// resumed whole. Complete: the final one is committed; then everybody is told to stop.
//
// Threading: one thread, asleep while nothing arrives.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/base/console.h"
#include "coordinator/batch_scheduler.h"
#include "coordinator/checkpoint_committer.h"
#include "coordinator/checkpoint_controller.h"
#include "coordinator/crew.h"
#include "coordinator/progress_tracker.h"
#include "coordinator/run_recorder.h"
#include "coordinator/step_reports.h"

namespace dflash {

struct LoopSettings {
  std::optional<int64_t> resumed_from = {};  // the run goes on from the checkpoint of that step
  int64_t total_steps = 0;
  int64_t batches_per_step = 1;
  int64_t queue_depth = 1;
  int64_t checkpoint_every_steps = 0;  // 0: only the first and the last step
  double stall_timeout_s = 300;
  std::string config_hash = {};  // written into every checkpoint
};

class CoordinatorLoop {
 public:
  /// Everything must outlive the loop.
  CoordinatorLoop(const LoopSettings& settings, Crew& crew, RunRecorder& recorder, Console& console);

  /// Returns when the workers have been told to stop. RunFailure as the Crew, Error{stall} when a save after a signal
  /// takes too long, {internal} for a message that cannot be.
  void run();

  [[nodiscard]] int64_t steps_done() const { return steps_done_; }
  /// As the folder has it: what is committed may not have been told yet, and has removed what was told before.
  [[nodiscard]] std::optional<int64_t> newest_checkpoint() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void handle(const Incoming& incoming);
  void take_step_report(int drafter, const StepReport& report);
  void take_checkpoint_part(const CheckpointPart& part);
  void commit_what_is_reported();
  void take_committed();
  void act_on_signal(TimePoint now);
  void ask_for_a_stop(TimePoint now);
  void send_grants(const std::vector<Grant>& grants);
  void send_next_checkpoint_request();
  void send_to_lead(const ControlMessage& message);
  void stop_workers();
  void expect_role(const Incoming& incoming, Role role) const;
  [[nodiscard]] bool complete() const;

  const LoopSettings settings_;
  Crew& crew_;
  const RoleMap& roles_;
  RunRecorder& recorder_;
  Console& console_;
  CheckpointStore store_;
  BatchScheduler scheduler_;
  StepReports reports_;
  CheckpointController checkpoints_;
  ProgressTracker progress_;
  int64_t steps_done_;
  std::deque<CheckpointPart> parts_;  // not all drafters have reported their step
  std::optional<TimePoint> stopping_since_;
  TimePoint pinged_;
  CheckpointCommitter committer_;  // last: its thread uses the store
};

}  // namespace dflash
