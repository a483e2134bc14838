// What the pinned_host channel alone promises: batches go from one device to another through slots that are registered
// once, and a slot stays where it is for as long as a device works on it, whatever becomes of the channel's ends.
#include "common/channel/pinned_host_channel.h"

#include <thread>

#include "common/channel/device_slots.h"
#include "common/device/sim_gate.h"
#include "tests/channel/pinned_host_ends.h"

namespace dflash {
namespace {

constexpr ChannelShape kShape{.slot_bytes = 1000, .slot_count = 3, .layout_hash = 0x1234, .payload_checksum = true};

/// Byte i of batch `number`; no run of them is the simulated device's NaN.
std::byte byte_of(size_t number, size_t i) {
  return static_cast<std::byte>((number * 31 + i * 7 + i / 256) % 101);
}

void fill(std::span<std::byte> bytes, size_t number) {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(number, i);
}

size_t wrong_bytes(std::span<const std::byte> bytes, size_t number) {
  size_t wrong = 0;
  for (size_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != byte_of(number, i) ? 1 : 0;
  return wrong;
}

/// A device whose copies a test can hold back.
struct GatedDevice {
  std::shared_ptr<SimGate> gate = std::make_shared<SimGate>();
  Device device = make(gate);
  Stream compute = device.make_stream("compute");
  Stream copies = device.make_stream("copies");
  Pool batches = device.make_pool({"batches", MemoryKind::device, kShape.slot_bytes, 4});

  static Device make(const std::shared_ptr<SimGate>& gate) {
    SimOptions options;
    options.chunk_bytes = 64;
    options.gate = gate;
    return Device::sim(options);
  }
  [[nodiscard]] Landed<Buffer> take() { return std::move(batches.take(late()).value()); }
  /// Written by a kernel.
  [[nodiscard]] OnStream<Buffer> batch(size_t number) {
    OnStream<Buffer> buffer = take().on(compute);
    launch(compute, [number](std::span<std::byte> bytes) { fill(bytes, number); }, buffer);
    return buffer;
  }
  /// How many of its bytes are not those of `number`, counted by a kernel.
  [[nodiscard]] size_t wrong_bytes_of(OnStream<Buffer> buffer, size_t number) {
    size_t wrong = 0;
    launch(compute, [&wrong, number](std::span<std::byte> bytes) { wrong = wrong_bytes(bytes, number); }, buffer);
    static_cast<void>(std::move(buffer).land(late()));
    return wrong;
  }
};

/// Both ends in this process, each with its device.
struct PinnedHostChannel : testing::Test {
  void SetUp() override {
    auto [near_end, far_end] = InProcessBootstrap::make_pair();
    std::thread other(
        [this, &line = *far_end] { sender = make_pinned_host_sender(kShape, line, late(), target.device); });
    receiver = make_pinned_host_receiver(kShape, *near_end, late(), drafter.device);
    other.join();
  }
  [[nodiscard]] SendSlot acquire() {
    auto [status, slot] = sender->acquire(late());
    EXPECT_EQ(status, ChannelStatus::ok);
    return std::move(slot);
  }
  void send(size_t number) {
    auto sides = copy_async(target.copies, target.batch(number), lend(acquire())).land(late());
    ASSERT_EQ(send_landed(*sender, std::move(sides.second)), ChannelStatus::ok);
  }
  [[nodiscard]] InFlight<ReceivedLease, Buffer> start_receive() {
    auto [status, slot] = receiver->receive(late());
    EXPECT_EQ(status, ChannelStatus::ok);
    return copy_async(drafter.copies, lend(std::move(slot)), drafter.take());
  }
  void expect_nothing_released_in_use() {
    for (Device* device : {&target.device, &drafter.device}) {
      EXPECT_TRUE(device->drain(late()));
      EXPECT_EQ(device->stats().released_in_use, 0U);
      EXPECT_EQ(device->stats().lost_blocks, 0U);
    }
  }

  GatedDevice target, drafter;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
};

TEST_F(PinnedHostChannel, BatchesGoFromDeviceToDevice) {
  std::thread other([this] {
    for (size_t number = 0; number < 50; ++number) send(number);
    EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
  });
  for (size_t number = 0; number < 50; ++number) {
    EXPECT_EQ(drafter.wrong_bytes_of(start_receive().then(drafter.compute), number), 0U) << number;
  }
  other.join();
  EXPECT_EQ(receive_nothing(*receiver, late()), ChannelStatus::end_of_stream);
  expect_nothing_released_in_use();
}

TEST_F(PinnedHostChannel, TheRingIsRegisteredOnceAtEachEnd) {
  const uint64_t bytes = drafter.device.stats().registered_bytes;
  EXPECT_GE(bytes, kShape.slot_count * kShape.slot_bytes);
  EXPECT_EQ(target.device.stats().registered_bytes, bytes);
  send(1);
  static_cast<void>(start_receive().land(late()));
  EXPECT_EQ(drafter.device.stats().registered_bytes, bytes);
  sender.reset();
  receiver.reset();
  EXPECT_EQ(target.device.stats().registered_bytes, 0U);
  EXPECT_EQ(drafter.device.stats().registered_bytes, 0U);
}

TEST_F(PinnedHostChannel, ASlotIsSentNoEarlierThanItsCopyIsDone) {
  target.gate->close(SimWork::copy);
  auto copy = copy_async(target.copies, target.batch(5), lend(acquire()));
  EXPECT_FALSE(copy.passed());
  EXPECT_THROW(static_cast<void>(std::move(copy).land(soon())), Error);  // and without landing there is no send
  EXPECT_EQ(receive_nothing(*receiver, soon()), ChannelStatus::timeout);
  target.gate->open(SimWork::copy);
  auto sides = std::move(copy).land(late());  // NOLINT: a call that throws has taken nothing
  ASSERT_EQ(send_landed(*sender, std::move(sides.second)), ChannelStatus::ok);
  EXPECT_EQ(drafter.wrong_bytes_of(start_receive().then(drafter.compute), 5), 0U);
}

TEST_F(PinnedHostChannel, ASlotIsFreeAgainNoEarlierThanTheDeviceHasReadIt) {
  for (size_t number = 0; number < kShape.slot_count; ++number) send(number);
  drafter.gate->close(SimWork::copy);
  OnStream<Buffer> first = start_receive().then(drafter.compute);  // the lease is dropped in flight
  EXPECT_EQ(sender->acquire(soon()).first, ChannelStatus::timeout);
  drafter.gate->open(SimWork::copy);
  EXPECT_EQ(sender->acquire(late()).first, ChannelStatus::ok);
  EXPECT_EQ(drafter.wrong_bytes_of(std::move(first), 0), 0U);
}

TEST_F(PinnedHostChannel, WhatTheDeviceStillReadsOutlivesTheReceiver) {
  send(7);
  drafter.gate->close(SimWork::copy);
  OnStream<Buffer> batch = start_receive().then(drafter.compute);
  receiver.reset();
  EXPECT_GT(drafter.device.stats().registered_bytes, 0U) << "the lease keeps it";
  EXPECT_EQ(sender->acquire(late()).first, ChannelStatus::closed);
  drafter.gate->open(SimWork::copy);
  EXPECT_EQ(drafter.wrong_bytes_of(std::move(batch), 7), 0U);
  expect_nothing_released_in_use();
  EXPECT_EQ(drafter.device.stats().registered_bytes, 0U);
}

TEST_F(PinnedHostChannel, WhatTheDeviceStillWritesOutlivesTheSender) {
  target.gate->close(SimWork::copy);
  static_cast<void>(copy_async(target.copies, target.batch(7), lend(acquire())));
  sender.reset();
  EXPECT_GT(target.device.stats().registered_bytes, 0U) << "the lease keeps it";
  EXPECT_EQ(receive_nothing(*receiver, late()), ChannelStatus::closed);
  receiver.reset();
  target.gate->open(SimWork::copy);
  expect_nothing_released_in_use();
  EXPECT_EQ(target.device.stats().registered_bytes, 0U);
}

TEST_F(PinnedHostChannel, ACopyThatFailsGivesTheSlotBackAndSendsNothing) {
  OnStream<Buffer> none = target.take().on(target.copies);
  launch(target.copies, [](std::span<std::byte>) { throw Error(ErrorKind::internal, "no power"); }, none);
  auto copy = copy_async(target.copies, target.batch(1), lend(acquire()));
  EXPECT_TRUE(says(error_of([&] { static_cast<void>(std::move(copy).land(late())); }), {"no power"}));
  EXPECT_EQ(receive_nothing(*receiver, soon()), ChannelStatus::timeout);
}

}  // namespace
}  // namespace dflash
