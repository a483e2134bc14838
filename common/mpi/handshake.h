// The start of a run: Hello -> Welcome -> Ready -> Start. After it all ranks run the same build with the same settings
// and would lay out a batch in the same way; a rank that differs is refused by name before the first batch.
#pragma once

#include <cstdint>
#include <string>

#include "common/mpi/control_link.h"

namespace dflash {

/// What must be equal on every rank. data_hash is compared for targets only.
struct AgreedHashes {
  uint64_t config = 0;
  uint64_t layout = 0;
  uint64_t data = 0;
};

/// Hash of the build: version and compiler, equal for programs that were built together.
[[nodiscard]] uint64_t build_hash();

/// Coordinator: takes every worker's Hello, refuses another build, answers with the settings.
void welcome_workers(ControlLink& link, const RoleMap& roles, const RunConfig& config, Deadline deadline);
/// Coordinator: compares every worker's Ready with its own hashes; Error{config} names rank, which hash, and both
/// values.
void await_ready(ControlLink& link, const RoleMap& roles, const AgreedHashes& expected, Deadline deadline);
/// Coordinator: tells all workers to begin.
void start_workers(ControlLink& link, const RoleMap& roles, const Start& start);

/// Worker: says Hello, returns the settings of the run.
[[nodiscard]] RunConfig join_run(ControlLink& link, const RoleMap& roles, Deadline deadline);
/// Worker: says Ready, waits for Start.
[[nodiscard]] Start report_ready(ControlLink& link, const RoleMap& roles, const AgreedHashes& hashes,
                                 Deadline deadline);

/// Worker, from the catch of main: sends Failure to the coordinator, gives it 2 s to end the job, then ends it itself.
[[noreturn]] void report_failure(ControlLink* link, const RoleMap* roles, const Failure& failure);

}  // namespace dflash
