// The whole examination.
#pragma once

#include <filesystem>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// The run that the machine is looked at for.
struct DoctorRequest {
  std::filesystem::path dir = ".";  // where it would write
  int targets = 1;
  int drafters = 1;
};

/// Looks at this machine, changing nothing. Threading: called while this process has one thread (it forks).
[[nodiscard]] Findings examine(const DoctorRequest& request);

}  // namespace dflash
