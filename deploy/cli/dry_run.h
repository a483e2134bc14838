// dflash train --dry-run: what a run would be and take, without starting it.
#pragma once

#include <string>
#include <vector>

#include "common/plan/run_plan.h"

namespace dflash {

/// Prints ranks, links, bytes of a batch, memory of each rank and size of the checkpoints. Error{config} or {no_space}
/// when the processes cannot fit on this node, or the checkpoints on the disk of run.dir.
void print_dry_run(const RunConfig& config, const RunPlan& plan);

/// The same check for a run that is started: lines of warning, since its ranks may be spread over several nodes.
/// Error{input_file} for a file that is missing.
[[nodiscard]] std::vector<std::string> warnings_of_size(const RunConfig& config, const RunPlan& plan);

}  // namespace dflash
