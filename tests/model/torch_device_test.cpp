#include "common/tensor/torch_device.h"

#include <ATen/ATen.h>

#include "common/device/cuda_devices.h"
#include "common/device/device.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

TEST(TorchDevice, WithoutAGpuItIsTheHost) {
  EXPECT_EQ(load_torch_device(-1), at::Device(at::kCPU));
  Device device = Device::sim({});
  Stream stream = device.make_stream("train");
  const OnTorchStream nothing(stream, at::kCPU);
  const at::Tensor tensor = at::ones({3});
  EXPECT_TRUE(to_device(tensor, at::kCPU).is_same(tensor));
}

TEST(TorchDevice, TheCudaHalfLoadsOrItIsSaidWhatIsMissing) {
  try {
    EXPECT_EQ(load_torch_device(0), at::Device(at::kCUDA, 0));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, {"LibTorch's CUDA half does not load", ".so", "deploy/setup --cuda"}));
  }
}

}  // namespace
}  // namespace dflash
