// Two processes that share one GPU, and a channel between them: device -> slot in the one, slot -> device in the other.
// Each makes its own device after the fork; nothing here may ask CUDA before.
#include <gtest/gtest.h>

#include "common/channel/device_slots.h"
#include "common/channel/shm_channel.h"
#include "tests/device/device_kinds.h"
#include "tests/support/gpu_device.h"
#include "tests/support/peers.h"

namespace dflash {
namespace {

constexpr size_t kSlotBytes = size_t{1} << 20, kBatches = 20;
const ChannelShape kShape{kSlotBytes, 3, 42, true};

void send_batches(Bootstrap& line) {
  const auto sender = make_shm_sender(kShape, line, late());
  Device device = test::gpu_device();
  Pool host = host_pool(device, 1, kSlotBytes);
  Pool there = device_pool(device, 2, kSlotBytes);
  Stream copies = device.make_stream("copies");
  for (size_t number = 0; number < kBatches; ++number) {
    OnStream<Buffer> batch = copy_async(copies, take_written(host, number), take(there)).then(copies);
    auto [status, slot] = sender->acquire(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    auto sides = copy_async(copies, std::move(batch), lend(std::move(slot))).land(late());
    ASSERT_EQ(send_landed(*sender, std::move(sides.second)), ChannelStatus::ok);
  }
  EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
  EXPECT_TRUE(device.drain(late()));
}

void receive_batches(Bootstrap& line) {
  const auto receiver = make_shm_receiver(kShape, line, late());
  Device device = test::gpu_device();
  Pool host = host_pool(device, 1, kSlotBytes);
  Pool there = device_pool(device, 2, kSlotBytes);
  Stream copies = device.make_stream("copies"), kernels = device.make_stream("kernels");
  for (size_t number = 0; number < kBatches; ++number) {
    auto [status, slot] = receiver->receive(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    OnStream<Buffer> batch = copy_async(copies, lend(std::move(slot)), take(there)).then(kernels);
    auto sides = copy_async(kernels, std::move(batch), take(host)).land(late());
    EXPECT_EQ(wrong_bytes(sides.second.host_view(), number), 0U) << "batch " << number;
  }
  EXPECT_TRUE(device.drain(late()));
  EXPECT_EQ(receiver->receive(late()).first, ChannelStatus::end_of_stream);
}

TEST(DeviceChannel, BatchesGoFromTheDeviceOfOneProcessToThatOfAnother) {
  if (test::gpu_mode().empty()) GTEST_SKIP() << "needs a GPU, or a rehearsal: tests/gpu/run";
  run_in_process(receive_batches, send_batches);
}

}  // namespace
}  // namespace dflash
