#include "tests/device/host_work.h"

#include <cstdlib>
#include <memory>

#ifdef DFLASH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace dflash {

void enqueue_host_work([[maybe_unused]] CUstream_st* stream, [[maybe_unused]] std::function<void()> work) {
#ifdef DFLASH_CUDA
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  const auto call = [](void* data) {
    const std::unique_ptr<std::function<void()>> called(static_cast<std::function<void()>*>(data));
    (*called)();
  };
  if (cudaLaunchHostFunc(stream, call, owned.get()) != cudaSuccess) std::abort();
  static_cast<void>(owned.release());  // the call's now
#else
  std::abort();  // in a build without CUDA there is no such stream
#endif
}

}  // namespace dflash
