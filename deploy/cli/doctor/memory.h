// Memory that ranks share: hidden states between targets and drafters, and what Open MPI keeps in /dev/shm.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// `memory_bytes` of the machine or its control groups, of which the kernel could give `available_bytes` now; waiting
/// hidden states may take `queue_bytes`.
[[nodiscard]] Finding check_memory(int64_t memory_bytes, int64_t available_bytes, int64_t queue_bytes);

/// Makes a little of the memory that channels of kind shm use. Empty when it works, else why not.
[[nodiscard]] std::string try_channel_memory();
[[nodiscard]] Finding check_channel_memory(const std::string& failure);

struct SharedFolderFacts {
  bool writable = false;  // a folder that is there
  int64_t total_bytes = 0;
  int64_t free_bytes = 0;
};
[[nodiscard]] SharedFolderFacts read_shared_folder(const std::filesystem::path& folder);

/// Whether Open MPI's segments of `ranks` ranks fit into /dev/shm. Channels do not count: their memory has no name and
/// does not lie there.
[[nodiscard]] Finding check_shared_folder(const SharedFolderFacts& facts, int ranks);

}  // namespace dflash
