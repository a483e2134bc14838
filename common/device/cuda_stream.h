// How a kernel (on_stream.h) learns the CUDA stream it has to enqueue to.
//
//   launch(stream, [](std::span<std::byte> bytes) {
//     if (cudaStream_t cuda = current_cuda_stream()) pack_on_gpu(bytes.data(), cuda);   // enqueues
//     else pack_on_host(bytes);                                                         // cpu, sim: does it
//   }, on_stream);
//
// Knows nothing of CUDA's headers: any file may include it, in a build without CUDA too.
//
// Threading: each thread has its own; it is set while launch() calls a kernel of a cuda device, and on no other.
#pragma once

#include <utility>

struct CUstream_st;  // cudaStream_t, the handle of CUDA's runtime, is a pointer to this

namespace dflash {

class CurrentCudaStream {
 public:
  /// Null when this thread is not inside a kernel of a cuda device.
  [[nodiscard]] static CUstream_st* get() { return current_; }

  /// The back-end's: current until it is destroyed.
  explicit CurrentCudaStream(CUstream_st* stream) : before_(std::exchange(current_, stream)) {}
  ~CurrentCudaStream() { current_ = before_; }
  CurrentCudaStream(const CurrentCudaStream&) = delete;
  CurrentCudaStream& operator=(const CurrentCudaStream&) = delete;

 private:
  static inline thread_local CUstream_st* current_ = nullptr;
  CUstream_st* const before_;
};

[[nodiscard]] inline CUstream_st* current_cuda_stream() {
  return CurrentCudaStream::get();
}

}  // namespace dflash
