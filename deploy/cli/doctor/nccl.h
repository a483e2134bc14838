// NCCL: which one the loader would take, and from where.
#pragma once

#include <string>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

struct NcclFacts {
  std::string library = {};  // the file of libnccl.so.2; empty: the loader finds none
  int version = 0;           // as ncclGetVersion tells it: 22809 for 2.28.9; 0: it does not tell
  std::string failure = {};  // why it could not be asked
};

[[nodiscard]] NcclFacts read_nccl_facts();

/// Never bad: the other channels need none. `built_version`: built_nccl_version of this build; with another one loaded,
/// or none, pipeline.channel = nccl is refused.
[[nodiscard]] Finding check_nccl(const NcclFacts& facts, int built_version);

}  // namespace dflash
