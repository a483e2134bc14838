// NVIDIA GPUs: is there a device, does its driver answer, which CUDA does it serve, which CUDA runtime would load.
//
// The driver and the runtime are asked through libcuda.so.1 and libcudart.so with declarations of our own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

struct GpuFacts {
  bool device = false;              // the kernel sees an NVIDIA GPU
  std::string kernel_module = {};   // version of the driver's kernel module; empty: not loaded
  std::string driver_library = {};  // the file of libcuda.so.1; empty: the loader finds none
  int init_error = 0;               // of cuInit
  int driver_cuda = 0;              // newest CUDA that the driver serves, 13000 for 13.0; 0: not known
  std::vector<std::string> names = {};
  std::string runtime_library = {};  // the file of libcudart.so; empty: the loader finds none
  int runtime_cuda = 0;
  std::string failure = {};  // why the libraries could not be asked
};

/// `root`: "/"; below it dev, proc and sys tell about devices and kernel module.
[[nodiscard]] GpuFacts read_gpu_facts(const std::filesystem::path& root);

/// GPU, CUDA driver, CUDA runtime. A device without a driver that works is bad; a machine without both is not: runs
/// compute on CPUs unless run.device says cuda. `built_with_cuda`: this build could.
[[nodiscard]] Findings check_gpu(const GpuFacts& facts, bool built_with_cuda);

}  // namespace dflash
