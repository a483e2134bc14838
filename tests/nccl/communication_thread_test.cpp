#include "common/nccl/communication_thread.h"

#include "tests/device/device_kinds.h"
#include "tests/nccl/played_transport.h"

namespace dflash {
namespace {

/// One process of a pair, on a simulated device of its own.
struct End {
  explicit End(std::shared_ptr<PlayedTransport> its_transport)
      : transport(std::move(its_transport)), thread(std::make_unique<CommunicationThread>(device)) {}
  /// What runs into an aborted or hanging transport is let go before the device ends.
  ~End() { static_cast<void>(transport->abort(now())); }

  [[nodiscard]] SlotTransfer<Buffer> send(size_t number, size_t size_bytes = 1000) {
    return thread->start_send(transport, take_written(slots, number).on(kernels), size_bytes);
  }
  [[nodiscard]] SlotTransfer<Buffer> receive(size_t size_bytes = 1000) {
    return thread->start_receive(transport, take(slots).on(thread->stream()), size_bytes);
  }

  const std::shared_ptr<PlayedTransport> transport;
  Device device = Device::sim(late_sim());
  Pool slots = host_pool(device, 8);
  Stream kernels = device.make_stream("kernels");
  std::unique_ptr<CommunicationThread> thread;
};

struct CommunicationThreadTest : testing::Test {
  std::pair<std::shared_ptr<PlayedTransport>, std::shared_ptr<PlayedTransport>> pair = PlayedTransport::make_pair();
  End here{pair.first};
  End there{pair.second};
};

TEST_F(CommunicationThreadTest, WhatOneSendsTheOtherReceivesInOrder) {
  for (size_t round = 0; round < 5; ++round) {
    std::vector<SlotTransfer<Buffer>> sending;
    std::vector<SlotTransfer<Buffer>> coming;
    for (size_t i = 0; i < 4; ++i) sending.push_back(here.send(round * 10 + i));
    for (size_t i = 0; i < 4; ++i) coming.push_back(there.receive());
    for (size_t i = 0; i < 4; ++i) {
      const Landed<Buffer> slot = std::move(coming[i]).land(late());
      EXPECT_EQ(wrong_bytes(slot.host_view(), round * 10 + i), 0U);
      static_cast<void>(std::move(sending[i]).land(late()));
    }
  }
  EXPECT_TRUE(here.device.drain(late()));
  EXPECT_EQ(here.slots.free_count(), 8U);
  EXPECT_EQ(there.slots.free_count(), 8U);
}

TEST_F(CommunicationThreadTest, OnlyTheFirstBytesOfASlotTravel) {
  const SlotTransfer<Buffer> sending = here.send(3, 100);
  const Landed<Buffer> slot = there.receive(100).land(late());
  EXPECT_EQ(wrong_bytes(slot.host_view().first(100), 3), 0U);
  EXPECT_EQ(slot.host_view()[100], std::byte{0xC1});  // nobody wrote it: the simulated device's NaN
}

TEST_F(CommunicationThreadTest, ASendWaitsForTheStreamThatFillsTheSlot) {
  OnStream<Buffer> slot = take(here.slots).on(here.kernels);
  launch(
      here.kernels,
      [](std::span<std::byte> bytes) {
        std::this_thread::sleep_for(5ms);
        write(bytes, 6);
      },
      slot);
  const SlotTransfer<Buffer> sending = here.thread->start_send(here.transport, std::move(slot), 1000);
  const Landed<Buffer> arrived = there.receive().land(late());
  EXPECT_EQ(wrong_bytes(arrived.host_view(), 6), 0U);
}

TEST_F(CommunicationThreadTest, AReceiveThatIsNotMatchedIsAStallAndMayBeTriedAgain) {
  SlotTransfer<Buffer> coming = there.receive();
  EXPECT_FALSE(coming.over());
  expect_error(ErrorKind::stall, "receiving 1000 bytes from here: not done in time",
               [&] { static_cast<void>(std::move(coming).land(soon())); });
  const SlotTransfer<Buffer> sending = here.send(1);
  const Landed<Buffer> slot = std::move(coming).land(late());  // NOLINT: a call that throws has taken nothing
  EXPECT_EQ(wrong_bytes(slot.host_view(), 1), 0U);
  expect_error(ErrorKind::internal, "after it was landed",
               [&] { static_cast<void>(std::move(coming).land(late())); });  // NOLINT
}

TEST_F(CommunicationThreadTest, ADroppedTransferGivesItsSlotBackWhenItIsDone) {
  static_cast<void>(there.receive());
  EXPECT_EQ(there.slots.free_count(), 7U);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(there.slots.free_count(), 7U);
  static_cast<void>(here.send(1));
  EXPECT_TRUE(comes_true([&] { return there.slots.free_count() == 8 && here.slots.free_count() == 8; }));
}

TEST_F(CommunicationThreadTest, AnErrorOfTheTransportFailsWhatIsUnderWayAndAbortsIt) {
  SlotTransfer<Buffer> first = there.receive();
  SlotTransfer<Buffer> second = there.receive();
  there.transport->fail();
  expect_error(ErrorKind::peer_died, "lost here", [&] { static_cast<void>(std::move(first).land(late())); });
  expect_error(ErrorKind::peer_died, "lost here", [&] { static_cast<void>(std::move(second).land(late())); });
  EXPECT_TRUE(comes_true([&] { return there.transport->aborted(); }));
}

TEST_F(CommunicationThreadTest, AnErrorIsSeenAlsoWhileTransfersNeverPause) {
  here.transport->fail();
  for (size_t i = 0; i < 10'000 && !here.transport->aborted(); ++i) static_cast<void>(here.send(i));
  EXPECT_TRUE(here.transport->aborted());
}

TEST_F(CommunicationThreadTest, AbortEndsAllTransfersOfThatPeer) {
  SlotTransfer<Buffer> first = there.receive();
  SlotTransfer<Buffer> second = there.receive();
  const auto why = std::make_exception_ptr(Error(ErrorKind::stall, "here has said nothing for 3 s"));
  EXPECT_TRUE(there.thread->abort(*there.transport, why, late()));
  EXPECT_TRUE(first.over());
  expect_error(ErrorKind::stall, "said nothing", [&] { static_cast<void>(std::move(first).land(late())); });
  expect_error(ErrorKind::stall, "said nothing", [&] { static_cast<void>(std::move(second).land(late())); });
}

TEST_F(CommunicationThreadTest, ASlotThatIsTooSmallIsAnErrorOfTheTransfer) {
  SlotTransfer<Buffer> sending = here.send(1, 1001);
  expect_error(ErrorKind::internal, "1001 bytes are to be exchanged with there in a slot of 1000",
               [&] { static_cast<void>(std::move(sending).land(late())); });
}

TEST_F(CommunicationThreadTest, EndsWithTransfersUnderWay) {
  SlotTransfer<Buffer> coming = there.receive();
  there.thread.reset();
  EXPECT_FALSE(coming.over());
  const SlotTransfer<Buffer> sending = here.send(2);
  const Landed<Buffer> slot = std::move(coming).land(late());
  EXPECT_EQ(wrong_bytes(slot.host_view(), 2), 0U);
}

/// Else a device that closes meanwhile would not wait for it, and its slot would never be freed.
TEST_F(CommunicationThreadTest, WhatIsUnderWayWhenItEndsIsTheDevicesToWaitFor) {
  static_cast<void>(there.receive());
  there.thread.reset();
  EXPECT_EQ(there.device.stats().held_now, 1U);
  static_cast<void>(here.send(3));
  EXPECT_TRUE(there.device.drain(late()));
  EXPECT_EQ(there.slots.free_count(), 8U);
}

}  // namespace
}  // namespace dflash
