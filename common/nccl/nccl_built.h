// Which NCCL this program was built with. Loads and asks nothing, so a program that only plans or looks is not linked
// to NCCL for it; whether the one that is loaded is the same: check_nccl_library (nccl_transport.h).
#pragma once

namespace dflash {

/// As ncclGetVersion tells it: 22809 for 2.28.9; 0 in a build without NCCL.
[[nodiscard]] int built_nccl_version();
[[nodiscard]] inline bool built_with_nccl() {
  return built_nccl_version() != 0;
}
/// Error{config} in a build without NCCL, with what would work.
void need_nccl_build();

}  // namespace dflash
