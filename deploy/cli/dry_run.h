// What a run would be and take, before it is started.
#pragma once

#include "common/mpi/role_map.h"
#include "common/plan/run_plan.h"

namespace dflash {

/// The cast of the run, all on this node.
[[nodiscard]] RoleMap cast_of(const RunPlan& plan);

/// Prints ranks, links, bytes of a batch, and what print_memory does.
void print_dry_run(const RunConfig& config, const RunPlan& plan);

/// Prints memory of each rank and size of the checkpoints; dflash train does before every start. Error{config} or
/// {no_space} when the processes cannot fit on this node, or the checkpoints on the disk of run.dir, {input_file} for a
/// file that is missing.
void print_memory(const RunConfig& config, const RunPlan& plan);

}  // namespace dflash
