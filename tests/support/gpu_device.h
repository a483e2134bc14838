// What a test labelled gpu works on: the first GPU, or in a rehearsal (tests/gpu/run --rehearse) the simulated device.
//
//   DFLASH_NEED_GPU();                      first line of such a test; elsewhere it is skipped, with a line
//   Device device = test::gpu_device();
//
// The environment variable DFLASH_GPU says which: require (no GPU is a failure), rehearse, or not set.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "common/device/cuda_devices.h"
#include "common/device/device.h"

namespace dflash::test {

[[nodiscard]] inline std::string gpu_mode() {
  const char* mode = std::getenv("DFLASH_GPU");
  return mode != nullptr ? mode : "";
}
[[nodiscard]] inline bool gpu_rehearsal() {
  return gpu_mode() == "rehearse";
}
/// On a GPU, not on what stands for one.
[[nodiscard]] inline bool on_gpu() {
  return !gpu_rehearsal() && cuda_devices().count > 0;
}
[[nodiscard]] inline Device gpu_device() {
  return on_gpu() ? Device::cuda(0) : Device::sim({});
}

}  // namespace dflash::test

#define DFLASH_NEED_GPU()                                                       \
  if (!test::on_gpu() && test::gpu_mode() == "require") {                       \
    FAIL() << "no GPU: " << cuda_devices().why_none;                            \
  } else if (!test::on_gpu() && !test::gpu_rehearsal()) {                       \
    GTEST_SKIP() << "needs a GPU (tests/gpu/run): " << cuda_devices().why_none; \
  }                                                                             \
  static_assert(true, "a semicolon follows")
