// What CUDA's runtime answers, as our errors. Internal to the cuda back-end.
#pragma once

#include <string>

#include "common/base/error.h"

namespace dflash {

/// `code` is a cudaError_t: "GPU: copying 8 bytes: an illegal memory access was encountered (cudaErrorIllegalAddress)".
[[nodiscard]] Error cuda_error(int code, const std::string& doing);

/// Throws it unless the code is cudaSuccess.
void check_cuda(int code, const char* doing);

/// Makes the GPU of that number the current one of this thread: whatever other code has set.
void use_cuda_device(int ordinal);

}  // namespace dflash
