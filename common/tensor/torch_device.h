// Where LibTorch computes: the CPU, or one GPU on the device room's own stream.
//
//   const at::Device device = load_torch_device(ordinal);      -1: the CPU
//   Stream compute = run_device.make_stream("train");
//   const OnTorchStream scope(compute, device);                what LibTorch does on this thread is on `compute` now
//   const at::Tensor there = to_device(host_tensor, device);   does not wait for the device
//
// With all of a thread's tensor work on one stream, LibTorch's allocator and the device room agree on the order of
// things: a fence of that stream covers both, and no tensor need be recorded on a second one.
//
// Our programs link LibTorch's CPU half alone; the CUDA half is loaded when it is asked for, so that machines without a
// GPU need none of CUDA's libraries. This is the only file in which copies are not waited for.
//
// Not run on a GPU yet. Threading: load first, on one thread; scopes on any, ended where they were begun.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include <cstddef>
#include <optional>
#include <span>

#include "common/device/stream.h"

namespace dflash {

/// CPU for -1, else the GPU of that number, with LibTorch's CUDA libraries loaded. Error{config} when they cannot be.
[[nodiscard]] at::Device load_torch_device(int cuda_ordinal);

class OnTorchStream {
 public:
  /// Nothing on the CPU. On a GPU first waits for what LibTorch has under way on it. `stream` is of the cuda device of
  /// the same number. Error{internal} when LibTorch does not take the stream for what it is.
  OnTorchStream(Stream& stream, at::Device device);
  ~OnTorchStream();
  OnTorchStream(const OnTorchStream&) = delete;
  OnTorchStream& operator=(const OnTorchStream&) = delete;

 private:
  std::optional<c10::Stream> before_;
};

/// The tensor itself where it is on `device`. A host tensor goes up through page-locked memory of LibTorch's, which
/// knows when the copy is done.
[[nodiscard]] at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// The tensor itself where it is on the CPU, else a page-locked copy that holds its values when the stream is past it.
[[nodiscard]] at::Tensor to_host_later(const at::Tensor& tensor);

/// Bytes [n] of `device`: the same memory where that is the CPU, else a copy, waited for.
[[nodiscard]] at::Tensor bytes_on_host(std::span<std::byte> bytes, at::Device device);

}  // namespace dflash
