#include "common/device/kernel_copy.h"

#include <cstring>

#include "common/device/cuda_backend.h"
#include "common/device/cuda_stream.h"

namespace dflash {

void kernel_copy(std::byte* to, const std::byte* from, size_t size_bytes) {
  if (CUstream_st* stream = current_cuda_stream()) {
    enqueue_cuda_copy(to, from, size_bytes, stream);
  } else {
    std::memcpy(to, from, size_bytes);
  }
}

}  // namespace dflash
