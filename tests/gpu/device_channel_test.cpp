// Processes that share one GPU, and channels between them: device -> slot in two of them, slot -> device in the third.
// Each makes its own device after the fork; nothing here may ask CUDA before.
#include <gtest/gtest.h>

#include "common/channel/device_slots.h"
#include "common/channel/pinned_host_channel.h"
#include "common/channel/shm_channel.h"
#include "tests/device/device_kinds.h"
#include "tests/support/gpu_device.h"
#include "tests/support/peers.h"

namespace dflash {
namespace {

constexpr size_t kSlotBytes = size_t{1} << 20, kBatches = 20;
const ChannelShape kShape{kSlotBytes, 3, 42, true};

enum class Slots { pageable, registered };

/// Batches first, first + 1, ...
void send_batches(Slots slots, size_t first, Bootstrap& line) {
  Device device = test::gpu_device();
  const auto sender = slots == Slots::registered ? make_pinned_host_sender(kShape, line, late(), device)
                                                 : make_shm_sender(kShape, line, late());
  Pool host = host_pool(device, 1, kSlotBytes);
  Pool there = device_pool(device, 2, kSlotBytes);
  Stream copies = device.make_stream("copies");
  for (size_t number = first; number < first + kBatches; ++number) {
    OnStream<Buffer> batch = copy_async(copies, take_written(host, number), take(there)).then(copies);
    auto [status, slot] = sender->acquire(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    auto sides = copy_async(copies, std::move(batch), lend(std::move(slot))).land(late());
    ASSERT_EQ(send_landed(*sender, std::move(sides.second)), ChannelStatus::ok);
  }
  EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
  EXPECT_TRUE(device.drain(late()));
}

std::unique_ptr<Receiver> make_receiver(Slots slots, Bootstrap& line, Device& device) {
  return slots == Slots::registered ? make_pinned_host_receiver(kShape, line, late(), device)
                                    : make_shm_receiver(kShape, line, late());
}

void receive_batches(Device& device, Receiver& receiver, size_t first) {
  Pool host = host_pool(device, 1, kSlotBytes);
  Pool there = device_pool(device, 2, kSlotBytes);
  Stream copies = device.make_stream("copies"), kernels = device.make_stream("kernels");
  for (size_t number = first; number < first + kBatches; ++number) {
    auto [status, slot] = receiver.receive(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    OnStream<Buffer> batch = copy_async(copies, lend(std::move(slot)), take(there)).then(kernels);
    auto sides = copy_async(kernels, std::move(batch), take(host)).land(late());
    EXPECT_EQ(wrong_bytes(sides.second.host_view(), number), 0U) << "batch " << number;
  }
  EXPECT_TRUE(device.drain(late()));
  EXPECT_EQ(receiver.receive(late()).first, ChannelStatus::end_of_stream);
}

class DeviceChannel : public testing::TestWithParam<Slots> {
 protected:
  void SetUp() override {
    if (test::gpu_mode().empty()) GTEST_SKIP() << "needs a GPU, or a rehearsal: tests/gpu/run";
  }
};

TEST_P(DeviceChannel, BatchesGoFromTheDeviceOfTwoProcessesToThatOfAThird) {
  constexpr size_t kOfTheSecond = 1000;
  const auto slots = GetParam();
  const auto first = [slots](Bootstrap& line) { send_batches(slots, 0, line); };
  const auto second = [slots](Bootstrap& line) { send_batches(slots, kOfTheSecond, line); };
  // Both are forked before this process makes its device.
  run_in_process(
      [&](Bootstrap& line_of_first) {
        run_in_process(
            [&](Bootstrap& line_of_second) {
              Device device = test::gpu_device();
              const auto from_first = make_receiver(slots, line_of_first, device);
              const auto from_second = make_receiver(slots, line_of_second, device);
              receive_batches(device, *from_first, 0);
              receive_batches(device, *from_second, kOfTheSecond);
              EXPECT_EQ(device.stats().registered_bytes > 0, slots == Slots::registered);
              EXPECT_EQ(device.stats().released_in_use, 0U);
            },
            second);
      },
      first);
}

INSTANTIATE_TEST_SUITE_P(Slots, DeviceChannel, testing::Values(Slots::pageable, Slots::registered),
                         [](const auto& tested) { return tested.param == Slots::registered ? "pinned_host" : "shm"; });

}  // namespace
}  // namespace dflash
