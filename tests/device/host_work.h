// A kernel that is done by the host in the order of its stream, on every kind of device.
//
//   launch(stream, on_host([](std::span<std::byte> bytes) { ... }), on_stream);
//
// A bare lambda does its work where the kernel runs on cpu and sim, but on cuda only enqueues. Such a kernel may not
// touch device memory, nor throw on cuda: there nobody would hear of it.
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "common/device/cuda_stream.h"

namespace dflash {

/// Does it when the stream is past what was enqueued so far. Ends the process when CUDA refuses.
void enqueue_host_work(CUstream_st* stream, std::function<void()> work);

template <typename Work>
auto on_host(Work work) {
  return [work](auto... bytes) {
    if (CUstream_st* stream = current_cuda_stream()) {
      enqueue_host_work(stream, [work, bytes...] { work(bytes...); });
    } else {
      work(bytes...);
    }
  };
}

}  // namespace dflash
