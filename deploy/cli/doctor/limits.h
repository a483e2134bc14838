// Limits of this process (ulimit) that a run may meet.
#pragma once

#include <sys/resource.h>

#include <filesystem>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// `folder`: /sys/class/infiniband.
[[nodiscard]] bool has_infiniband(const std::filesystem::path& folder);

/// RLIMIT_MEMLOCK: MPI over InfiniBand locks what it sends. This build locks nothing itself.
[[nodiscard]] Finding check_locked_memory(const rlimit& limit, bool infiniband);

/// RLIMIT_NOFILE: mpirun holds a few descriptors for each rank.
[[nodiscard]] Finding check_open_files(const rlimit& limit, int ranks);

}  // namespace dflash
