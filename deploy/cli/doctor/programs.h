// The programs of a run, which dflash starts from the folder that it lies in.
#pragma once

#include <filesystem>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// Coordinator, target_worker, drafter_worker and dflash-model must lie in `folder`. Looks and judges in one.
[[nodiscard]] Finding look_for_programs(const std::filesystem::path& folder);

}  // namespace dflash
