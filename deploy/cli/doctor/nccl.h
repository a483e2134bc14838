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

/// Why pipeline.channel = nccl would be refused here, in the words of that refusal; empty when this program has the
/// NCCL that it was built with.
[[nodiscard]] std::string why_no_nccl();

/// Never bad: the other channels need none. `why_refused`: as why_no_nccl says.
[[nodiscard]] Finding check_nccl(const NcclFacts& facts, const std::string& why_refused);

}  // namespace dflash
