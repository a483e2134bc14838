// The cuda back-end on a simulated CUDA runtime (fake_cuda.h): what is CUDA's own. What every device promises is tried
// on it by the suites that stand beside this file in the same program.
#include <cuda_runtime_api.h>

#include "tests/device/device_kinds.h"
#include "tests/device/fake_cuda.h"

namespace dflash {
namespace {

struct CudaBackendTest : testing::Test {
  ~CudaBackendTest() override { fake_cuda::set_devices(1); }

  Device device = Device::cuda(0);
  Pool host = host_pool(device, 8);
  Pool there = device_pool(device, 4);
  Stream stream = device.make_stream("copies");
  Stream other = device.make_stream("others");
};

TEST_F(CudaBackendTest, EventsAreUsedAgain) {
  const auto trip = [&](size_t number) {
    auto on_device = copy_async(stream, take_written(host, number), take(there)).then(other);
    auto sides = copy_async(other, std::move(on_device), take(host)).land(late());
    EXPECT_EQ(wrong_bytes(sides.second.host_view(), number), 0U);
  };
  for (size_t i = 0; i < 20; ++i) trip(i);
  const size_t events = fake_cuda::events_made();
  for (size_t i = 0; i < 100; ++i) trip(i);
  EXPECT_LE(fake_cuda::events_made(), events + 4);  // the reaper may hold some longer than before
}

TEST_F(CudaBackendTest, ARefusedCopyFailsItsStreamAndNoOther) {
  fake_cuda::fail_next("cudaMemcpyAsync", cudaErrorInvalidValue);
  auto refused = copy_async(stream, take_written(host, 1), take(there));
  auto later = copy_async(stream, take_written(host, 1), take(there));
  for (auto* copy : {&refused, &later}) {
    expect_error(ErrorKind::internal, "GPU: a copy: a fake error (cudaErrorFake)",
                 [copy] { static_cast<void>(std::move(*copy).land(late())); });
  }
  auto sides = copy_async(other, take_written(host, 2), take(host)).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 2), 0U);
}

TEST_F(CudaBackendTest, AnErrorOfTheDeviceEndsEveryWaitWithIt) {
  auto copy = copy_async(stream, take_written(host, 1), take(there));
  static_cast<void>(copy_async(other, take_written(host, 1), take(there)));
  fake_cuda::break_device(cudaErrorIllegalAddress);
  expect_error(ErrorKind::internal, "an illegal memory access was encountered (cudaErrorIllegalAddress)",
               [&] { static_cast<void>(std::move(copy).land(late())); });
  expect_error(ErrorKind::internal, "cudaErrorIllegalAddress", [&] { other.record().wait(late()); });
  EXPECT_TRUE(device.drain(late()));
  fake_cuda::break_device(cudaSuccess);
  static_cast<void>(stream.record().wait_passed(late()));  // the simulated runtime still copies
  static_cast<void>(other.record().wait_passed(late()));
}

TEST_F(CudaBackendTest, WhereNoEventCanBeRecordedTheDeviceIsWaitedFor) {
  fake_cuda::fail_next("cudaEventRecord", cudaErrorUnknown);
  auto copy = copy_async(stream, take_written(host, 7), take(host));
  EXPECT_TRUE(copy.passed());
  expect_error(ErrorKind::internal, "GPU: recording an event", [&] { static_cast<void>(std::move(copy).land(now())); });
}

TEST_F(CudaBackendTest, AKernelEnqueuesToTheStreamItIsCalledFor) {
  EXPECT_EQ(current_cuda_stream(), nullptr);
  CUstream_st* first = nullptr;
  CUstream_st* second = nullptr;
  launch(stream, [&] {
    first = current_cuda_stream();
    launch(other, [&] { second = current_cuda_stream(); });
    EXPECT_EQ(current_cuda_stream(), first);
  });
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(current_cuda_stream(), nullptr);
}

TEST_F(CudaBackendTest, WhatAKernelWasRefusedIsTheErrorOfItsStream) {
  void* memory = nullptr;
  fake_cuda::fail_next("cudaMalloc", cudaErrorInvalidValue);
  EXPECT_NE(cudaMalloc(&memory, 8), cudaSuccess);  // of this thread, before: not the kernel's
  launch(stream, [] {});
  stream.record().wait(late());
  launch(stream, [&] {
    fake_cuda::fail_next("cudaMalloc", cudaErrorInvalidValue);
    static_cast<void>(cudaMalloc(&memory, 8));  // as a kernel that cannot be launched: nobody looks at the code
  });
  expect_error(ErrorKind::internal, "GPU: a kernel: a fake error", [&] { stream.record().wait(late()); });
}

TEST_F(CudaBackendTest, NoMemoryIsSaidOnceForEachKind) {
  fake_cuda::fail_next("cudaMalloc", cudaErrorMemoryAllocation);
  expect_error(ErrorKind::no_space, "of device memory left", [&] { static_cast<void>(device_pool(device, 1)); });
  fake_cuda::fail_next("cudaHostAlloc", cudaErrorMemoryAllocation);
  expect_error(ErrorKind::no_space, "of pinned memory left", [&] { static_cast<void>(host_pool(device, 1)); });
  fake_cuda::fail_next("cudaMalloc", cudaErrorUnknown);
  expect_error(ErrorKind::internal, "GPU: allocating memory", [&] { static_cast<void>(device_pool(device, 1)); });
  std::vector<std::byte> ring(4096);
  fake_cuda::fail_next("cudaHostRegister", cudaErrorMemoryAllocation);
  expect_error(ErrorKind::no_space, "4.0 KiB of host memory cannot be page-locked",
               [&] { static_cast<void>(device.register_host(ring)); });
  EXPECT_EQ(device.stats().registered_bytes, 0U);
  const RegisteredMemory registered = device.register_host(ring);  // what failed left nothing behind
}

TEST_F(CudaBackendTest, MemoryThatSomebodyElseRegisteredIsRefused) {
  std::vector<std::byte> ring(4096);
  ASSERT_EQ(cudaHostRegister(ring.data(), ring.size(), 0), cudaSuccess);
  expect_error(ErrorKind::internal, "GPU: page-locking host memory",
               [&] { static_cast<void>(device.register_host(ring)); });
  EXPECT_EQ(cudaHostUnregister(ring.data()), cudaSuccess);
}

TEST_F(CudaBackendTest, AStreamThatCannotBeMadeIsAnError) {
  const size_t streams = fake_cuda::streams_alive();
  fake_cuda::fail_next("cudaStreamCreateWithFlags", cudaErrorUnknown);
  expect_error(ErrorKind::internal, "GPU: making a stream", [&] { static_cast<void>(device.make_stream("one more")); });
  EXPECT_EQ(fake_cuda::streams_alive(), streams);
}

TEST_F(CudaBackendTest, RefusesAGpuThatIsNotThere) {
  expect_error(ErrorKind::config, "there is no GPU 1: this process sees 1", [] { static_cast<void>(Device::cuda(1)); });
  expect_error(ErrorKind::config, "there is no GPU -1", [] { static_cast<void>(Device::cuda(-1)); });
  fake_cuda::set_devices(0, cudaErrorInsufficientDriver);
  EXPECT_EQ(cuda_devices().why_none, "a fake error (or there is no driver: no libcuda.so.1)");
  expect_error(ErrorKind::config, "no GPU can be used: a fake error", [] { static_cast<void>(Device::cuda(0)); });
  fake_cuda::set_devices(0);
  EXPECT_EQ(cuda_devices().why_none, "CUDA sees no GPU");
}

TEST_F(CudaBackendTest, StreamsAndEventsGoWithTheLastWhoNeedsThem) {
  const size_t streams = fake_cuda::streams_alive();
  std::optional<Fence> fence;
  {
    Device gone = Device::cuda(0);
    Stream its = gone.make_stream("short");
    EXPECT_EQ(fake_cuda::streams_alive(), streams + 1);
    launch(its, on_host([] { std::this_thread::sleep_for(5ms); }));
    fence = its.record();
  }
  EXPECT_EQ(fake_cuda::streams_alive(), streams);
  fence->wait(late());
}

}  // namespace
}  // namespace dflash
