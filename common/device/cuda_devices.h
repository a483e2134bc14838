// Which GPUs this process sees, and which of them a rank takes.
//
//   const CudaDevices devices = cuda_devices();
//   if (devices.count == 0) log_info("no GPU: " + devices.why_none);
//   const CudaChoice choice = choose_cuda_device(local_rank, local_rank_count, devices.count);
//   log_info(choice.text);
//   Device device = Device::cuda(choice.ordinal);
//
// In a build without CUDA the count is 0, and `why_none` says so. Threading: any thread.
#pragma once

#include <string>

namespace dflash {

struct CudaDevices {
  int count = 0;
  std::string why_none;  ///< one line, when the count is 0
};
[[nodiscard]] CudaDevices cuda_devices();
/// Whether this build has the cuda back-end; asks no driver.
[[nodiscard]] bool built_with_cuda();

struct CudaChoice {
  int ordinal = 0;
  std::string text;  ///< one line for the log: which GPU, and with how many ranks it is shared
};
/// Round robin over the ranks of one node; several on one GPU are allowed, and said. Error{config} when there is no
/// GPU; {internal} for a rank outside of the node.
[[nodiscard]] CudaChoice choose_cuda_device(int local_rank, int local_rank_count, int device_count);

}  // namespace dflash
