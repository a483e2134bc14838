#include "common/tensor/torch_device.h"

#include <ATen/ATen.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/device/cuda_stream.h"
#include "common/device/operations.h"

namespace dflash {
namespace {

constexpr const char* kCudaHalf = "libtorch_cuda.so";  // lies beside libtorch_cpu.so, where this program looks

CUstream_st* handle_of(Stream& stream) {
  CUstream_st* handle = nullptr;
  launch(stream, [&handle] { handle = current_cuda_stream(); });  // on cuda a kernel is called at once
  if (handle == nullptr) throw Error(ErrorKind::internal, "LibTorch is to compute on a stream that is not of cuda");
  return handle;
}

/// LibTorch numbers a stream that is not its own by its address.
c10::Stream as_torch_stream(CUstream_st* handle, at::Device device) {
  const c10::Stream stream(c10::Stream::UNSAFE, device, reinterpret_cast<c10::StreamId>(handle));
  if (stream.native_handle() == handle) return stream;
  throw Error(ErrorKind::internal, "LibTorch takes a stream of ours for another one: is it LibTorch 2.11?");
}

}  // namespace

at::Device load_torch_device(int cuda_ordinal) {
  if (cuda_ordinal < 0) return at::kCPU;
  if (dlopen(kCudaHalf, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    throw Error(ErrorKind::config, format("run.device = \"cuda\": LibTorch's CUDA half does not load: {}; "
                                          "run deploy/setup --cuda",
                                          dlerror()));
  }
  return {at::kCUDA, static_cast<c10::DeviceIndex>(cuda_ordinal)};
}

OnTorchStream::OnTorchStream(Stream& stream, at::Device device) {
  if (device.is_cpu()) return;
  at::globalContext().lazyInitDevice(device.type());
  const c10::impl::DeviceGuardImplInterface* cuda = c10::impl::getDeviceGuardImpl(device.type());
  cuda->setDevice(device);
  cuda->synchronizeDevice(device.index());
  before_ = cuda->exchangeStream(as_torch_stream(handle_of(stream), device));
}

OnTorchStream::~OnTorchStream() {
  if (before_) static_cast<void>(c10::impl::getDeviceGuardImpl(before_->device_type())->exchangeStream(*before_));
}

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  if (tensor.device() == device) return tensor;
  if (!device.is_cuda()) return tensor.to(device);
  return tensor.pin_memory().to(device, tensor.scalar_type(), /*non_blocking=*/true);
}

at::Tensor to_host_later(const at::Tensor& tensor) {
  if (tensor.device().is_cpu()) return tensor;
  const auto page_locked = at::TensorOptions().dtype(tensor.scalar_type()).pinned_memory(tensor.is_cuda());
  return at::empty(tensor.sizes(), page_locked).copy_(tensor, /*non_blocking=*/true);
}

at::Tensor bytes_on_host(std::span<std::byte> bytes, at::Device device) {
  return at::for_blob(bytes.data(), {static_cast<int64_t>(bytes.size())})
      .options(at::TensorOptions(device).dtype(at::kByte))
      .target_device(device)
      .make_tensor()
      .cpu();
}

}  // namespace dflash
