// What the mains of both workers share: MPI, roles, the start of the handshake, and the one catch.
#pragma once

#include <functional>

#include "common/mpi/handshake.h"
#include "common/mpi/run_links.h"
#include "common/mpi/worker_control.h"

namespace dflash {

/// Where a worker is that has done its part: it may rightly stand still there.
constexpr const char* kWaitsForTheEnd = "wait for the end of the run";

/// One worker of a run that has joined: its cast, its links, the settings the coordinator sent.
struct WorkerContext {
  const RoleMap& roles;
  WorkerControl& control;
  RunLinks* links;  // null for a role that runs alone
  const RunConfig& config;
  const ResumeFrom* resume;  // null in a run from the start

  [[nodiscard]] Whereabouts& where() const { return control.where(); }
  /// Now + run.stall_timeout_s.
  [[nodiscard]] Deadline stall_deadline() const;
  /// For a target that waits for the drafters: each batch ahead of its own may rightly take up to one stall timeout.
  /// (That the drafters make progress at all is watched by the coordinator.)
  [[nodiscard]] Deadline pace_deadline() const;
  /// Waits for the coordinator's Stop, the last message of a run.
  void await_stop() const;
};

/// Joins the run that is led at the other end of `control_link` and runs `body`; any Error is logged, reported and ends
/// the process with its exit code.
void play_worker(const RoleMap& roles, ControlLink& control_link, RunLinks* links,
                 const std::function<void(const WorkerContext&)>& body);

/// Joins the run as `role` and runs `body`. Any Error is logged, reported to the coordinator and ends the job with its
/// exit code. Arguments: none but --help, which prints `help`. Returns the exit code of main.
int run_worker(int argc, char** argv, Role role, const char* help,
               const std::function<void(const WorkerContext&)>& body);

/// True when the arguments say --solo: this role runs alone.
[[nodiscard]] bool is_solo(int argc, char** argv);

/// Runs the program of a role that runs alone, and returns its exit code: that of `body`, or of the error that ended
/// it, which is logged.
[[nodiscard]] int run_alone(Role role, const std::function<int()>& body);

}  // namespace dflash
