// What the mains of both workers share: MPI, roles, the start of the handshake, and the one catch.
#pragma once

#include <functional>
#include <string>

#include "common/mpi/control_link.h"
#include "common/mpi/mpi_bootstrap.h"
#include "common/mpi/role_map.h"

namespace dflash {

/// Where a worker is: what a Failure message says beside the error. Written by the worker's loop.
struct Whereabouts {
  std::string stage = "start";
  int64_t sequence = -1;
};

/// One worker of a run that has joined: its cast, its links, the settings the coordinator sent.
struct WorkerContext {
  const RoleMap& roles;
  ControlLink& link;
  MpiBootstrapFactory& bootstraps;
  const RunConfig& config;
  Whereabouts& where;

  /// Now + run.stall_timeout_s.
  [[nodiscard]] Deadline stall_deadline() const;
  /// For a target that waits for the drafter: each batch ahead of its own may rightly take up to one stall timeout.
  /// (That the drafter makes progress at all is watched by the coordinator.)
  [[nodiscard]] Deadline pace_deadline() const;
  /// Waits for the coordinator's Stop, the last message of a run.
  void await_stop() const;
};

/// Joins the run as `role` and runs `body`. Any Error is logged, reported to the coordinator and ends the job with its
/// exit code. Arguments: none but --help, which prints `help`. Returns the exit code of main.
int run_worker(int argc, char** argv, Role role, const char* help,
               const std::function<void(const WorkerContext&)>& body);

}  // namespace dflash
