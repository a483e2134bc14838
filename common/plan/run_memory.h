// The memory and disk that a run takes, said and checked before it starts: by `dflash train`, and by the coordinator of
// any run.
#pragma once

#include <string>

#include "common/mpi/role_map.h"
#include "common/plan/run_plan.h"

namespace dflash {

/// Memory of each rank and size of the checkpoints, as lines for a person, with a note where they may not suffice.
/// Where all ranks run on this node: Error{config} when it, or one of its GPUs, cannot hold them, {no_space} when the
/// disk of run.dir cannot hold the checkpoints. Error{input_file} for a file that is missing.
[[nodiscard]] std::string describe_run_memory(const RunConfig& config, const RunPlan& plan, const RoleMap& roles);

}  // namespace dflash
