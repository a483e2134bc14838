// What every kind of channel promises of an orderly run. A new kind joins with one entry of a tested_kinds().
#include "tests/channel/channel_contract.h"

#include <thread>
#include <vector>

namespace dflash {
namespace {

constexpr size_t kMany = 100;  // times the ring wraps around: 33

/// Sends batches 0 ... count - 1 and ends the stream, with a pause before each.
void send_stream(Sender& sender, size_t count, std::chrono::milliseconds pause) {
  for (size_t number = 0; number < count; ++number) {
    std::this_thread::sleep_for(pause);
    send_one(sender, number);
  }
  EXPECT_EQ(sender.finish(late()), ChannelStatus::ok);
}

/// Receives and checks batches 0 ... count - 1 and the end of the stream, holding each for a while.
void receive_stream(Receiver& receiver, size_t count, std::chrono::milliseconds pause) {
  for (size_t number = 0; number < count; ++number) {
    const ReceivedSlot slot = receive_one(receiver, number);
    std::this_thread::sleep_for(pause);
  }
  EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
  EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream) << "the first status sticks";
}

TEST_P(ChannelContract, CarriesEveryBatchInOrder) {
  for (const size_t count : {size_t{0}, size_t{1}, kMany}) {
    run([&](Receiver& receiver, Bootstrap&) { receive_stream(receiver, count, 0ms); },
        [&](auto sender, Bootstrap&) { send_stream(*sender, count, 0ms); });
  }
}

TEST_P(ChannelContract, WaitsForASlowSender) {
  run([](Receiver& receiver, Bootstrap&) { receive_stream(receiver, 10, 0ms); },
      [](auto sender, Bootstrap&) { send_stream(*sender, 10, 5ms); });
}

TEST_P(ChannelContract, WaitsForASlowReceiver) {
  run([](Receiver& receiver, Bootstrap&) { receive_stream(receiver, 10, 5ms); },
      [](auto sender, Bootstrap&) { send_stream(*sender, 10, 0ms); });
}

TEST_P(ChannelContract, AFreeSlotIsTheCredit) {
  run(
      [](Receiver& receiver, Bootstrap& line) {
        (void)line.receive(late());
        await_waiting_slots(receiver, kShape.slot_count);
        ReceivedSlot first = receive_one(receiver, 0);
        await_waiting_slots(receiver, kShape.slot_count - 1);
        line.send("received");
        EXPECT_EQ(line.receive(late()), "still no room");  // received is not released
        first.release();
        first.release();  // a second time changes nothing
        for (size_t number = 1; number <= kShape.slot_count; ++number) (void)receive_one(receiver, number);
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
      },
      [](auto sender, Bootstrap& line) {
        for (size_t number = 0; number < kShape.slot_count; ++number) send_one(*sender, number);
        EXPECT_EQ(sender->acquire(soon()).first, ChannelStatus::timeout);
        line.send("full");
        (void)line.receive(late());
        EXPECT_EQ(sender->acquire(soon()).first, ChannelStatus::timeout);
        line.send("still no room");
        send_one(*sender, kShape.slot_count);
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
      });
}

TEST_P(ChannelContract, TheReceiverMayHoldEverySlotAtOnce) {
  run(
      [](Receiver& receiver, Bootstrap&) {
        std::vector<ReceivedSlot> held;
        for (size_t number = 0; number < kShape.slot_count; ++number) held.push_back(receive_one(receiver, number));
        EXPECT_EQ(receive_nothing(receiver, soon()), ChannelStatus::timeout);
        std::thread trainer([&held] { held.erase(held.begin()); });  // slots may be released by another thread
        trainer.join();
        (void)receive_one(receiver, kShape.slot_count);
      },
      [](auto sender, Bootstrap&) {
        for (size_t number = 0; number <= kShape.slot_count; ++number) send_one(*sender, number);
      });
}

TEST_P(ChannelContract, SlotsMayBeReleasedInAnyOrder) {
  static_assert(kShape.slot_count == 3);
  run(
      [](Receiver& receiver, Bootstrap& line) {
        std::vector<ReceivedSlot> held;
        for (size_t number = 0; number < 3; ++number) held.push_back(receive_one(receiver, number));
        held[2].release();
        held[1].release();
        line.send("the first is still held");
        EXPECT_EQ(line.receive(late()), "no room");
        const std::string first(reinterpret_cast<const char*>(held[0].bytes().data()), held[0].bytes().size());
        EXPECT_EQ(first, payload_of(0, first.size()));
        held[0].release();
        for (size_t number = 3; number < 6; ++number) held[number - 3] = receive_one(receiver, number);
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
        held.clear();
        EXPECT_EQ(line.receive(late()), "finished");
      },
      [](auto sender, Bootstrap& line) {
        for (size_t number = 0; number < 3; ++number) send_one(*sender, number);
        (void)line.receive(late());
        EXPECT_EQ(sender->acquire(soon()).first, ChannelStatus::timeout);
        line.send("no room");
        for (size_t number = 3; number < 6; ++number) send_one(*sender, number);
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
        line.send("finished");
      });
}

TEST_P(ChannelContract, SlotsMayOutliveTheirEnd) {
  GetParam().run_peers(
      [](Bootstrap& line) {
        auto receiver = GetParam().make_receiver(kShape, line, late());
        std::vector<ReceivedSlot> held;
        for (size_t number = 0; number < 2; ++number) held.push_back(receive_one(*receiver, number));
        EXPECT_EQ(line.receive(late()), "acquired");
        receiver.reset();
        line.send("gone");
        EXPECT_EQ(line.receive(late()), "gone too");
        for (size_t number = 0; number < 2; ++number) {
          const std::span<std::byte> bytes = held[number].bytes();
          EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                    payload_of(number, bytes.size()));
        }
        held[1].release();
        held[0].release();
      },
      [](Bootstrap& line) {
        auto sender = GetParam().make_sender(kShape, line, late());
        for (size_t number = 0; number < 2; ++number) send_one(*sender, number);
        auto [status, slot] = sender->acquire(late());
        EXPECT_EQ(status, ChannelStatus::ok);
        line.send("acquired");
        EXPECT_EQ(line.receive(late()), "gone");
        while (sender->acquire(now()).first == ChannelStatus::ok) std::this_thread::sleep_for(1ms);
        EXPECT_EQ(sender->finish(late()), ChannelStatus::closed) << "what is out when the receiver goes is not taken";
        sender.reset();
        std::memset(slot.bytes().data(), 7, slot.bytes().size());
        line.send("gone too");
      });
}

TEST_P(ChannelContract, ADroppedSendSlotIsFreeAgain) {
  run([](Receiver& receiver, Bootstrap&) { receive_stream(receiver, 1, 0ms); },
      [](auto sender, Bootstrap&) {
        for (size_t i = 0; i < 3 * kShape.slot_count; ++i) {
          EXPECT_EQ(sender->acquire(now()).first, ChannelStatus::ok);
        }
        send_stream(*sender, 1, 0ms);
      });
}

TEST_P(ChannelContract, EveryWaitEndsAtItsDeadline) {
  run(
      [](Receiver& receiver, Bootstrap& line) {
        const auto begin = Deadline::Clock::now();
        EXPECT_EQ(receive_nothing(receiver, soon()), ChannelStatus::timeout);
        EXPECT_GE(Deadline::Clock::now() - begin, 20ms);
        line.send("go");
        EXPECT_EQ(line.receive(late()), "finish timed out");
        receive_stream(receiver, 1, 0ms);  // a timeout does not stick
      },
      [](auto sender, Bootstrap& line) {
        (void)line.receive(late());
        send_one(*sender, 0);
        EXPECT_EQ(sender->finish(soon()), ChannelStatus::timeout);
        line.send("finish timed out");
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
        EXPECT_EQ(sender->finish(now()), ChannelStatus::ok);
      });
}

TEST_P(ChannelContract, WhatWasSentIsReceivedBeforeClosed) {
  run(
      [](Receiver& receiver, Bootstrap&) {
        for (size_t number = 0; number < 2; ++number) (void)receive_one(receiver, number);
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::closed);
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::closed) << "the first status sticks";
      },
      [](auto sender, Bootstrap&) {
        for (size_t number = 0; number < 2; ++number) send_one(*sender, number);
        sender.reset();
      });
}

TEST_P(ChannelContract, ADestroyedSenderWakesAWaitingReceiver) {
  run([](Receiver& receiver, Bootstrap&) { EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::closed); },
      [](auto sender, Bootstrap&) {
        std::this_thread::sleep_for(30ms);
        sender.reset();
      });
}

TEST_P(ChannelContract, ADestroyedReceiverWakesAWaitingSender) {
  run([](Receiver&, Bootstrap& line) { EXPECT_EQ(line.receive(late()), "about to wait"); },
      [](auto sender, Bootstrap& line) {
        for (size_t number = 0; number < kShape.slot_count; ++number) send_one(*sender, number);
        line.send("about to wait");
        EXPECT_EQ(sender->acquire(late()).first, ChannelStatus::closed);
        EXPECT_EQ(sender->acquire(late()).first, ChannelStatus::closed) << "the first status sticks";
        EXPECT_EQ(sender->finish(late()), ChannelStatus::closed);
      });
}

TEST_P(ChannelContract, ADestroyedReceiverWakesFinish) {
  run([](Receiver&, Bootstrap& line) { EXPECT_EQ(line.receive(late()), "about to finish"); },
      [](auto sender, Bootstrap& line) {
        send_one(*sender, 0);
        line.send("about to finish");
        EXPECT_EQ(sender->finish(late()), ChannelStatus::closed);
      });
}

TEST_P(ChannelContract, ASlotAcquiredBeforeTheReceiverWentIsNotSent) {
  run([](Receiver&, Bootstrap& line) { EXPECT_EQ(line.receive(late()), "acquired"); },
      [](auto sender, Bootstrap& line) {
        auto [status, slot] = sender->acquire(late());
        EXPECT_EQ(status, ChannelStatus::ok);
        line.send("acquired");
        while (sender->acquire(now()).first == ChannelStatus::ok) std::this_thread::sleep_for(1ms);
        EXPECT_EQ(sender->send(std::move(slot)), ChannelStatus::closed);
      });
}

TEST_P(ChannelContract, RefusesASlotThatItDidNotHandOut) {
  run([](Receiver& receiver, Bootstrap&) { receive_stream(receiver, 0, 0ms); },
      [](auto sender, Bootstrap&) {
        EXPECT_EQ(error_of([&] { (void)sender->send(SendSlot()); }).kind(), ErrorKind::internal);
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
        EXPECT_EQ(error_of([&] { (void)sender->acquire(now()); }).kind(), ErrorKind::internal);
      });
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChannelContract, testing::ValuesIn(tested_kinds()), kind_name);

}  // namespace
}  // namespace dflash
