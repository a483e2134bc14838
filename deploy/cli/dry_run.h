// What a run would be and take, before it is started.
#pragma once

#include "common/mpi/role_map.h"
#include "common/plan/run_plan.h"

namespace dflash {

/// The cast of the run, all on this node.
[[nodiscard]] RoleMap cast_of(const RunPlan& plan);

/// Prints ranks, links, bytes of a batch, memory of each rank and size of the checkpoints. Error as
/// describe_run_memory.
void print_dry_run(const RunConfig& config, const RunPlan& plan);

}  // namespace dflash
