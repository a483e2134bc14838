// CoordinatorLoop: reads what the workers say and gives every message to its owner, until the run is complete.
//
//   lease_request, batch_trained -> BatchScheduler        -> lease_grant to targets
//   step_report                  -> RunRecorder, Console
//   checkpoint_part              -> CheckpointController  -> checkpoint_request to the drafter, commit
//   failure                      -> Error of its kind, with the rank's name
//
// Complete: the report of the last step has come and the last checkpoint is committed; then everybody is told to stop.
//
// Threading: one thread, asleep while nothing arrives. Limits: one drafter; messages wait while a checkpoint is hashed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint_store.h"
#include "common/mpi/control_link.h"
#include "coordinator/batch_scheduler.h"
#include "coordinator/checkpoint_controller.h"
#include "coordinator/console.h"
#include "coordinator/peer_watch.h"
#include "coordinator/progress_tracker.h"
#include "coordinator/run_recorder.h"

namespace dflash {

struct LoopSettings {
  int64_t total_steps = 0;
  int64_t batches_per_step = 1;
  int64_t queue_depth = 1;
  int64_t checkpoint_every_steps = 0;  // 0: only the first and the last step
  double stall_timeout_s = 300;
  std::string config_hash;  // written into every checkpoint
};

class CoordinatorLoop {
 public:
  /// Everything must outlive the loop.
  CoordinatorLoop(const LoopSettings& settings, ControlLink& link, const RoleMap& roles, RunRecorder& recorder,
                  Console& console);

  /// Error of a worker's Failure, {stall}, or {internal} for a message that cannot be.
  void run();

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void handle(const Incoming& incoming, TimePoint now);
  void take_step_report(const StepReport& report, TimePoint now);
  void take_checkpoint_part(const CheckpointPart& part);
  [[noreturn]] void throw_first_cause(const Incoming& incoming);
  void send_grants(const std::vector<Grant>& grants);
  void send_next_checkpoint_request();
  void stop_workers();
  void expect_role(const Incoming& incoming, Role role) const;
  [[nodiscard]] bool complete() const;

  const LoopSettings settings_;
  ControlLink& link_;
  const RoleMap& roles_;
  RunRecorder& recorder_;
  Console& console_;
  CheckpointStore store_;
  BatchScheduler scheduler_;
  CheckpointController checkpoints_;
  ProgressTracker progress_;
  PeerWatch watch_;
  int64_t reported_steps_ = 0;
};

}  // namespace dflash
