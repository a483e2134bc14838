// What a run on this machine would choose where its settings are left open.
#pragma once

#include "common/plan/run_plan.h"
#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// Device, channel, queue and threads of a run of so many workers, all on this node, with default settings; and whether
/// run.device = cuda would be refused: where no GPU can be used, or this build has no CUDA.
[[nodiscard]] Findings check_choices(int targets, int drafters, const MachineFacts& machine, size_t gpu_count,
                                     bool built_with_cuda);

}  // namespace dflash
