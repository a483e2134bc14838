// The disk that a run would write to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

struct DiskFacts {
  std::filesystem::path folder = {};  // the nearest one that exists
  bool is_folder = false;
  bool writable = false;
  int64_t free_bytes = 0;
  std::string failure = {};  // why not even the folder can be told
};

/// `run_dir` need not exist yet.
[[nodiscard]] DiskFacts read_disk_facts(const std::filesystem::path& run_dir);

/// Bad where nothing can be written. How much a run takes, only its settings tell.
[[nodiscard]] Finding check_disk(const DiskFacts& facts);

}  // namespace dflash
