// The kernel: whether it tells at once that another process has died.
#pragma once

#include <string>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// "Linux 6.1.0-18-amd64"
[[nodiscard]] std::string kernel_name();

/// Lets a child die and looks whether a ProcessWatch sees it.
[[nodiscard]] bool deaths_are_seen();

[[nodiscard]] Finding check_kernel(const std::string& name, bool deaths_seen);

}  // namespace dflash
