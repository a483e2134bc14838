// The cuda back-end: one GPU through CUDA's runtime. Streams and events are CUDA's; memory comes from cudaMalloc and
// cudaMallocHost, once for each block of a pool.
//
// A kernel (on_stream.h) is called at once, on the thread that launches, with current_cuda_stream() set, and enqueues.
// The first error of a stream sticks: one that a kernel throws or a call answers is that stream's own; one that the
// device meets later (an illegal address) ends the whole context, so that every stream and fence gives it from then on.
//
// No part of this back-end has been run on a GPU yet: its logic is tested against a simulated CUDA runtime
// (tests/device/fake_cuda.h), and tests/gpu/run runs the same suite where there is a GPU.
//
// In a build without CUDA (WITH_CUDA) cuda_absent.cpp stands for it.
#pragma once

#include <memory>

#include "common/device/backend.h"

struct CUstream_st;  // cudaStream_t points to it

namespace dflash {

/// Error{config} when there is no such GPU or the build has no CUDA.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend(int ordinal);

/// kernel_copy.h, on a stream of this back-end.
void enqueue_cuda_copy(std::byte* to, const std::byte* from, size_t size_bytes, CUstream_st* stream);

}  // namespace dflash
