// WorkerControl: a worker's end of the control plane. A thread of its own takes what the coordinator sends, so that
// the coordinator is answered at once whatever the loops of the worker are doing.
//
//   control.send(message);                                     // to the coordinator
//   std::optional<ControlMessage> next = control.wait(deadline);   // what is meant for the loops
//
// The thread itself answers Ping, tells where the loop is (Heartbeat), and ends the process
//   - when the coordinator says Abort, with the exit code it says,
//   - when the coordinator's process has died: exit code 14, and verdict.json if there is none,
//   - when a signal came and the coordinator has said nothing of it for 2 s: exit code 14.
// The process ends there and then (_Exit): its loops may be blocked, and its peers are told by the coordinator.
//
// Threading: send, stopped and where from any thread, wait and poll from one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/process.h"
#include "common/mpi/control_link.h"
#include "common/mpi/whereabouts.h"
#include "common/pipeline/bounded_queue.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {

/// Exit code and message of an error, whatever it is.
[[nodiscard]] Failure describe_failure(const std::exception_ptr& error);

class WorkerControl {
 public:
  /// From now on the link belongs to this object. It must outlive it, as must the roles.
  WorkerControl(ControlLink& link, const RoleMap& roles);
  ~WorkerControl();
  WorkerControl(const WorkerControl&) = delete;
  WorkerControl& operator=(const WorkerControl&) = delete;

  void send(const ControlMessage& message);
  /// The next message for the loops; nothing when the deadline passes, or soon after Stop.
  [[nodiscard]] std::optional<ControlMessage> wait(Deadline deadline);
  [[nodiscard]] std::optional<ControlMessage> poll() { return wait(Deadline::after(std::chrono::seconds(0))); }
  /// True when the coordinator has said Stop: the run is over, leave without finishing anything.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Waits for it; false when the deadline passes first.
  [[nodiscard]] bool wait_for_stop(Deadline deadline) const;
  /// Tells the coordinator of an error and waits for the process to be ended; returns when nobody did within 2 s.
  void report_failure(const Failure& failure);

  [[nodiscard]] Whereabouts& where() { return where_; }
  /// Where verdict.json goes; known once the settings have come.
  void set_run_folder(const std::filesystem::path& folder);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void take(ControlMessage&& message);
  [[nodiscard]] std::optional<ControlMessage> poll_link();
  void tell_where(Clock::time_point now);
  void watch_coordinator(Clock::time_point now);
  [[noreturn]] void leave_with(const std::exception_ptr& error);
  [[noreturn]] void leave_without_coordinator(const std::string& what);

  ControlLink& link_;
  const RoleMap& roles_;
  const ProcessWatch coordinator_;
  std::mutex mutex_;  // guards link_ and run_folder_
  std::filesystem::path run_folder_;
  Whereabouts where_;
  BoundedQueue<ControlMessage> inbox_;
  Clock::time_point heard_;  // Ping, Stop: the coordinator acts on a signal
  Clock::time_point told_;
  uint64_t told_entries_ = 0;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> leaving_ = false;
  StageThread thread_;  // last: it uses the members above
};

}  // namespace dflash
