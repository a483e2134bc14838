#include "common/device/cuda_backend.h"

#include <cuda_runtime_api.h>

#include <mutex>
#include <new>
#include <utility>

#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/device/cuda_devices.h"
#include "common/device/cuda_error.h"
#include "common/device/cuda_fence.h"
#include "common/device/cuda_memory.h"
#include "common/device/cuda_stream.h"

namespace dflash {
namespace {

constexpr std::align_val_t kAlignment{64};

/// CUDA's streams may be called from any thread: only the error needs a lock, and kernels take turns.
class CudaQueue final : public StreamQueue {
 public:
  explicit CudaQueue(std::shared_ptr<CudaEvents> events) : events_(std::move(events)) {
    use_cuda_device(events_->ordinal());
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~CudaQueue() override { static_cast<void>(cudaStreamDestroy(stream_)); }  // what is queued is still done
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  FencePtr copy(const CopyJob& job) override {
    auto fence = std::make_shared<CudaFence>(events_);
    if (!error()) {
      use_cuda_device(events_->ordinal());
      keep(cudaMemcpyAsync(job.to, job.from, job.size_bytes, cudaMemcpyDefault, stream_), "a copy");
    }
    fence->record(stream_, error());
    return fence;
  }

  FencePtr launch(std::function<void()> kernel) override {
    auto fence = std::make_shared<CudaFence>(events_);
    const std::lock_guard turn(turn_);
    if (!error()) {
      use_cuda_device(events_->ordinal());
      static_cast<void>(cudaGetLastError());  // of whatever this thread did before
      try {
        const CurrentCudaStream current(stream_);
        kernel();
        keep(cudaGetLastError(), "a kernel");
      } catch (...) {  // whatever it is: the fence carries it to whoever waits
        keep(std::current_exception());
      }
    }
    fence->record(stream_, error());
    return fence;
  }

  FencePtr record() override {
    auto fence = std::make_shared<CudaFence>(events_);
    use_cuda_device(events_->ordinal());
    fence->record(stream_, error());
    return fence;
  }

  void wait(FencePtr awaited) override {
    const auto& fence = static_cast<const CudaFence&>(*awaited);  // of this back-end: so it is promised
    keep(fence.make_wait(stream_), "waiting for another stream");
    if (fence.recorded_error()) keep(fence.recorded_error());
  }

 private:
  [[nodiscard]] std::exception_ptr error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  void keep(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void keep(int code, const char* doing) {
    if (code == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    keep(std::make_exception_ptr(cuda_error(code, doing)));
  }

  const std::shared_ptr<CudaEvents> events_;
  cudaStream_t stream_ = nullptr;
  std::mutex turn_;           // held while a kernel is called
  mutable std::mutex mutex_;  // guards error_
  std::exception_ptr error_;
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int ordinal) : events_(std::make_shared<CudaEvents>(ordinal)) {}

  std::unique_ptr<StreamQueue> make_queue() override { return std::make_unique<CudaQueue>(events_); }

 private:
  std::byte* system_allocate(MemoryKind kind, size_t size_bytes) override {
    if (kind == MemoryKind::plain) {
      return static_cast<std::byte*>(::operator new(size_bytes, kAlignment, std::nothrow));
    }
    use_cuda_device(events_->ordinal());
    void* begin = nullptr;
    const bool pinned = kind == MemoryKind::pinned;
    const cudaError_t code =
        pinned ? cudaHostAlloc(&begin, size_bytes, cudaHostAllocPortable) : cudaMalloc(&begin, size_bytes);
    if (code == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    check_cuda(code, pinned ? "allocating pinned memory" : "allocating memory");
    return static_cast<std::byte*>(begin);
  }

  void system_free(MemoryKind kind, std::byte* begin, size_t /*size_bytes*/) noexcept override {
    if (kind == MemoryKind::plain) return ::operator delete(begin, kAlignment);
    static_cast<void>(kind == MemoryKind::pinned ? cudaFreeHost(begin) : cudaFree(begin));
  }

  void system_register(std::span<std::byte> memory) override {
    use_cuda_device(events_->ordinal());
    const cudaError_t code = cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable);
    if (code == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw Error(ErrorKind::no_space,
                  format("{} of host memory cannot be page-locked for the GPU: use fewer or smaller slots, or give the "
                         "container more memory",
                         bytes_text(static_cast<int64_t>(memory.size()))));
    }
    check_cuda(code, "page-locking host memory");
  }
  [[nodiscard]] bool system_unregister(std::span<std::byte> memory) noexcept override {
    static_cast<void>(cudaHostUnregister(memory.data()));
    return true;  // whether a copy was using it CUDA does not say
  }

  const std::shared_ptr<CudaEvents> events_;
};

}  // namespace

void enqueue_cuda_copy(std::byte* to, const std::byte* from, size_t size_bytes, CUstream_st* stream) {
  check_cuda(cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDefault, stream), "a copy of a kernel");
}

CudaDevices cuda_devices() {
  CudaDevices devices;
  const cudaError_t code = cudaGetDeviceCount(&devices.count);
  if (code == cudaSuccess && devices.count > 0) return devices;
  static_cast<void>(cudaGetLastError());
  devices.count = 0;
  devices.why_none = code == cudaSuccess ? "CUDA sees no GPU" : cudaGetErrorString(code);
  if (code == cudaErrorInsufficientDriver) devices.why_none += " (or there is no driver: no libcuda.so.1)";
  return devices;
}

bool built_with_cuda() {
  return true;
}

std::vector<int64_t> cuda_memory_bytes() {
  std::vector<int64_t> bytes;
  for (int ordinal = 0; ordinal < cuda_devices().count; ++ordinal) {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, ordinal), "asking for the size of a GPU");
    bytes.push_back(static_cast<int64_t>(properties.totalGlobalMem));
  }
  return bytes;
}

std::shared_ptr<Backend> make_cuda_backend(int ordinal) {
  const CudaDevices devices = cuda_devices();
  if (devices.count == 0) {
    throw Error(ErrorKind::config, format("device cuda: no GPU can be used: {}; `dflash doctor` says more, "
                                          "run.device = \"cpu\" needs none",
                                          devices.why_none));
  }
  if (ordinal < 0 || ordinal >= devices.count) {
    throw Error(
        ErrorKind::config,
        format("device cuda: there is no GPU {}: this process sees {} (CUDA_VISIBLE_DEVICES)", ordinal, devices.count));
  }
  use_cuda_device(ordinal);
  return std::make_shared<CudaBackend>(ordinal);
}

}  // namespace dflash
