#include "common/device/cuda_fence.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "common/device/cuda_error.h"

namespace dflash {
namespace {
using std::chrono::nanoseconds;
constexpr nanoseconds kLeastPause = std::chrono::microseconds(5);
constexpr nanoseconds kMostPause = std::chrono::milliseconds(1);
}  // namespace

CudaEvents::~CudaEvents() {
  for (cudaEvent_t event : free_) static_cast<void>(cudaEventDestroy(event));
}

CUevent_st* CudaEvents::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
  }
  free_.reserve(made_ + 1);
  use_cuda_device(ordinal_);
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  ++made_;
  return event;
}

void CudaEvents::give_back(CUevent_st* event) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(event);
}

void CudaFence::record(CUstream_st* stream, std::exception_ptr error) {
  recorded_error_ = std::move(error);
  const cudaError_t code = cudaEventRecord(event_, stream);
  if (code == cudaSuccess) return;
  // Nobody could see when the device is past it: so it is waited for here, and what is lent stays lent until then.
  static_cast<void>(cudaStreamSynchronize(stream));
  static_cast<void>(cudaGetLastError());
  if (!recorded_error_) recorded_error_ = std::make_exception_ptr(cuda_error(code, "recording an event"));
  passed_ = true;
}

int CudaFence::make_wait(CUstream_st* stream) const {
  return passed_ ? cudaSuccess : cudaStreamWaitEvent(stream, event_, 0);
}

bool CudaFence::passed() const noexcept {
  if (passed_.load(std::memory_order_acquire)) return true;
  const cudaError_t code = cudaEventQuery(event_);
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (code == cudaErrorNotReady) return false;
  if (code != cudaSuccess) {  // the device met an error that ends its context: it touches no memory any more
    const std::lock_guard lock(mutex_);
    device_error_ = std::make_exception_ptr(cuda_error(code, "the work of a stream"));
  }
  passed_.store(true, std::memory_order_release);
  return true;
}

bool CudaFence::wait_until(Deadline deadline) const noexcept {
  const auto begin = Deadline::Clock::now();
  while (!passed()) {
    if (deadline.expired()) return false;
    const nanoseconds waited = Deadline::Clock::now() - begin;
    std::this_thread::sleep_for(std::min(deadline.remaining(), std::clamp(waited / 8, kLeastPause, kMostPause)));
  }
  return true;
}

std::exception_ptr CudaFence::error() const noexcept {
  if (!passed()) return nullptr;
  if (recorded_error_) return recorded_error_;
  const std::lock_guard lock(mutex_);
  return device_error_;
}

}  // namespace dflash
