#include "tests/device/fake_cuda.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <mutex>

#include "common/device/sim_backend.h"
#include "tests/device/device_kinds.h"

struct CUstream_st {
  std::unique_ptr<dflash::StreamQueue> queue;
};
struct CUevent_st {
  std::mutex mutex;  // guards fence
  dflash::FencePtr fence;
};

namespace dflash::fake_cuda {
namespace {

struct Allocation {
  size_t size_bytes = 0;
  int device = 0;
};

struct State {
  std::mutex mutex;                                  // guards what follows, up to the numbers
  std::map<int, std::shared_ptr<Backend>> backends;  // of each GPU, with engines of its own
  std::map<std::string, int> failures;
  std::map<std::byte*, Allocation> allocations;
  std::map<const void*, size_t> registered;
  std::atomic<int> broken{0};
  std::atomic<int> device_count{1};
  std::atomic<int> device_code{0};
  std::atomic<size_t> events_made{0};
  std::atomic<size_t> streams_alive{0};
};
State& state() {
  static State& only = *new State;  // never destroyed: other statics may still call
  return only;
}

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = -1;

cudaError_t answer(int code) {
  if (code != cudaSuccess) last_error = static_cast<cudaError_t>(code);
  return static_cast<cudaError_t>(code);
}

/// What this call is to answer instead of being done.
int failure_of(const std::string& function) {
  if (state().broken != 0) return state().broken;
  const std::lock_guard lock(state().mutex);
  const auto found = state().failures.find(function);
  if (found == state().failures.end()) return cudaSuccess;
  const int code = found->second;
  state().failures.erase(found);
  return code;
}

/// Does `work` unless the call is to fail. What works on a device needs one to be current.
template <typename Work>
cudaError_t call(const char* function, Work work) {
  if (const int code = failure_of(function)) return answer(code);
  if (current_device < 0) return answer(cudaErrorInvalidDevice);
  return answer(work());
}

Backend& backend(int device) {
  const std::lock_guard lock(state().mutex);
  std::shared_ptr<Backend>& made = state().backends[device];
  if (!made) made = make_sim_backend(late_sim());
  return *made;
}

cudaError_t allocate(void** begin, MemoryKind kind, size_t size_bytes) {
  std::byte* made = backend(current_device).allocate(kind, size_bytes);
  const std::lock_guard lock(state().mutex);
  state().allocations[made] = {size_bytes, current_device};
  *begin = made;
  return cudaSuccess;
}

cudaError_t release(void* begin) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().allocations.find(static_cast<std::byte*>(begin));
  if (found == state().allocations.end()) return answer(cudaErrorInvalidValue);
  const Allocation allocation = found->second;
  state().backends.at(allocation.device)->deallocate(MemoryKind::device, found->first, allocation.size_bytes);
  state().allocations.erase(found);
  return cudaSuccess;
}

}  // namespace

void fail_next(const std::string& function, int code) {
  const std::lock_guard lock(state().mutex);
  state().failures[function] = code;
}
void break_device(int code) {
  state().broken = code;
}
void set_devices(int count, int code) {
  state().device_count = count;
  state().device_code = code;
}
size_t events_made() {
  return state().events_made;
}
size_t streams_alive() {
  return state().streams_alive;
}

}  // namespace dflash::fake_cuda

using namespace dflash;             // NOLINT: the functions below have no namespace
using namespace dflash::fake_cuda;  // NOLINT

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = state().device_count;
  return answer(state().device_code);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= state().device_count) return answer(cudaErrorInvalidDevice);
  *properties = {};
  properties->totalGlobalMem = size_t{1} << 30;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= state().device_count) return answer(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return std::exchange(last_error, static_cast<cudaError_t>(state().broken.load()));
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "an illegal memory access was encountered" : "a fake error";
}
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorFake";
}

cudaError_t cudaMalloc(void** begin, size_t size_bytes) {
  return call("cudaMalloc", [&] { return allocate(begin, MemoryKind::device, size_bytes); });
}
cudaError_t cudaHostAlloc(void** begin, size_t size_bytes, unsigned /*flags*/) {
  return call("cudaHostAlloc", [&] { return allocate(begin, MemoryKind::pinned, size_bytes); });
}
cudaError_t cudaFree(void* begin) {
  return release(begin);
}
cudaError_t cudaFreeHost(void* begin) {
  return release(begin);
}
cudaError_t cudaHostRegister(void* begin, size_t size_bytes, unsigned /*flags*/) {
  return call("cudaHostRegister", [&] {
    const std::lock_guard lock(state().mutex);
    return state().registered.emplace(begin, size_bytes).second ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}
cudaError_t cudaHostUnregister(void* begin) {
  const std::lock_guard lock(state().mutex);
  return state().registered.erase(begin) == 1 ? cudaSuccess : answer(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  return call("cudaStreamCreateWithFlags", [&] {
    *stream = new CUstream_st{backend(current_device).make_queue()};
    ++state().streams_alive;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  --state().streams_alive;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  static_cast<void>(stream->queue->record()->wait_until(late()));
  return answer(state().broken);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  if (const int code = failure_of("cudaStreamWaitEvent")) return answer(code);
  const std::lock_guard lock(event->mutex);
  if (event->fence) stream->queue->wait(event->fence);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  return call("cudaEventCreateWithFlags", [&] {
    *event = new CUevent_st;
    ++state().events_made;
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&] {
    const std::lock_guard lock(event->mutex);
    event->fence = stream->queue->record();
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const int code = failure_of("cudaEventQuery")) return answer(code);
  const std::lock_guard lock(event->mutex);
  return !event->fence || event->fence->passed() ? cudaSuccess : answer(cudaErrorNotReady);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size_bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] {
    static_cast<void>(
        stream->queue->copy({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size_bytes}));
    return cudaSuccess;
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call("cudaLaunchHostFunc", [&] {
    static_cast<void>(stream->queue->launch([function, data] { function(data); }));
    return cudaSuccess;
  });
}

}  // extern "C"
