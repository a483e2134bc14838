// Cores, how busy they are, and their vector instructions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// The least of what cpu.max allows in these folders (own_control_groups), as a number of cores; nothing: no limit.
[[nodiscard]] std::optional<double> cpu_quota_cores(const std::vector<std::filesystem::path>& control_groups);

/// `cores` by affinity, which the threads of a run are counted by. A quota below them makes threads wait in turns.
[[nodiscard]] Finding check_cores(int64_t cores, std::optional<double> quota_cores);

/// `running`: the load of the last minute.
[[nodiscard]] Finding check_load(double running, int64_t cores);

/// `cpuinfo`: the text of /proc/cpuinfo.
[[nodiscard]] Finding check_vector_instructions(const std::string& cpuinfo);

}  // namespace dflash
