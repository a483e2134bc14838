// Says which GPUs this process can use, or why none; the exit code is 0 when there is one. For tests/gpu/run.
#include <cstdio>

#include "common/device/cuda_devices.h"

int main() {
  const dflash::CudaDevices devices = dflash::cuda_devices();
  if (devices.count == 0) {
    std::puts(devices.why_none.c_str());
    return 1;
  }
  std::printf("%d GPU(s)\n", devices.count);
  return 0;
}
