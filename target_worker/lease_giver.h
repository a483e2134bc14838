// LeaseGiver: what the coordinator is to a target that runs alone: every batch number from first to end, in order, a
// progress line, and Stop after a signal.
//
// Threading: owns the thread that answers; the destructor waits for it, at most one look.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "common/base/console.h"
#include "common/channel/recorded_folder.h"
#include "common/mpi/control_link.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {

class LeaseGiver {
 public:
  /// `link` to the target, which is rank `target_rank`; `recorded` counts what is done. All must outlive this.
  LeaseGiver(ControlLink& link, int target_rank, const RecordedFolderWriter& recorded, int64_t batches,
             Console& console);
  ~LeaseGiver() { leaving_ = true; }
  LeaseGiver(const LeaseGiver&) = delete;
  LeaseGiver& operator=(const LeaseGiver&) = delete;

 private:
  void run();
  void give_up(const std::exception_ptr& error);
  void grant(int64_t count);
  void stop_after_signal();
  void show();

  ControlLink& link_;
  const int target_rank_;
  const RecordedFolderWriter& recorded_;
  const int64_t batches_;
  Console& console_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int64_t granted_ = 0;
  int64_t shown_ = 0;
  std::optional<std::chrono::steady_clock::time_point> stopped_at_;
  std::atomic<bool> leaving_ = false;
  StageThread thread_;  // last: it uses the members above
};

}  // namespace dflash
