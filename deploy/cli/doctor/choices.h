// What a run on this machine would choose where its settings are left open.
#pragma once

#include "common/plan/run_plan.h"
#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// Device, channel, queue and threads of a run of so many workers, all on this node, with default settings.
[[nodiscard]] Findings check_choices(int targets, int drafters, const MachineFacts& machine);

}  // namespace dflash
