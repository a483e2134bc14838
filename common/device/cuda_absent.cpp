// What a build without CUDA answers.
#include "common/base/error.h"
#include "common/device/cuda_backend.h"
#include "common/device/cuda_devices.h"
#include "common/device/cuda_memory.h"

namespace dflash {
namespace {
constexpr const char* kWhy = "this build has no CUDA (nvcc was not found, or WITH_CUDA=OFF)";
}  // namespace

CudaDevices cuda_devices() {
  return {.count = 0, .why_none = kWhy};
}

bool built_with_cuda() {
  return false;
}

std::vector<int64_t> cuda_memory_bytes() {
  return {};
}

std::shared_ptr<Backend> make_cuda_backend(int /*ordinal*/) {
  throw Error(ErrorKind::config, std::string("device cuda: ") + kWhy +
                                     ": install a CUDA 13 toolkit or run deploy/setup --cuda, and build again");
}

void enqueue_cuda_copy(std::byte* /*to*/, const std::byte* /*from*/, size_t /*size_bytes*/, CUstream_st* /*stream*/) {
  throw Error(ErrorKind::internal, std::string("a copy on a cuda stream: ") + kWhy);
}

}  // namespace dflash
