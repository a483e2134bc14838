#include "common/device/cuda_error.h"

#include <cuda_runtime_api.h>

#include "common/base/format.h"

namespace dflash {

Error cuda_error(int code, const std::string& doing) {
  const auto error = static_cast<cudaError_t>(code);
  return {ErrorKind::internal, format("GPU: {}: {} ({})", doing, cudaGetErrorString(error), cudaGetErrorName(error))};
}

void check_cuda(int code, const char* doing) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // it is told here; the next call shall not find it again
  throw cuda_error(code, doing);
}

void use_cuda_device(int ordinal) {
  check_cuda(cudaSetDevice(ordinal), "choosing the device");
}

}  // namespace dflash
