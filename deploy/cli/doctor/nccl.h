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

/// Never bad: this build does not use it.
[[nodiscard]] Finding check_nccl(const NcclFacts& facts);

}  // namespace dflash
