// The control groups (version 2) that bind this process: where limits of a container or a batch job stand.
#pragma once

#include <filesystem>
#include <vector>

namespace dflash {

/// Folders with memory.max, cpu.max, ...: the own group and all above it, up to the root of what is mounted. A limit
/// of any of them binds.
[[nodiscard]] std::vector<std::filesystem::path> own_control_groups();

}  // namespace dflash
