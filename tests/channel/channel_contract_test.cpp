// What every kind of channel promises. A new kind joins with one INSTANTIATE line at the end.
#include "tests/channel/channel_contract.h"

#include <sys/resource.h>

#include <thread>
#include <vector>

#include "common/channel/shm_channel.h"

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
        EXPECT_EQ(receiver.waiting_slots(), kShape.slot_count);
        ReceivedSlot first = receive_one(receiver, 0);
        EXPECT_EQ(receiver.waiting_slots(), kShape.slot_count - 1);
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

TEST_P(ChannelContract, ACorruptHeaderIsAnErrorThatSticks) {
  run(
      [](Receiver& receiver, Bootstrap& line) {
        (void)receive_one(receiver, 0);
        line.send("go");
        (void)line.receive(late());
        for (int repeat = 0; repeat < 2; ++repeat) {
          const Error error = error_of([&] { (void)receiver.receive(late()); });
          EXPECT_EQ(error.kind(), ErrorKind::internal);
          EXPECT_TRUE(says(error, {"corrupt header of frame 1"}));
        }
      },
      [](auto sender, Bootstrap& line) {
        send_one(*sender, 0);
        (void)line.receive(late());
        std::byte* const payload = sender->acquire(late()).second.bytes().data();
        send_one(*sender, 1);
        GetParam().corrupt_header(payload);
        line.send("scribbled");
        EXPECT_EQ(sender->finish(late()), ChannelStatus::closed);
      });
}

/// Both ends must end with the same Error{config} that holds all of `words`.
void expect_refused(const ChannelShape& receiver, const ChannelShape& sender, const std::vector<std::string>& words) {
  const ChannelKind& kind = ChannelContract::GetParam();
  const auto expect_error = [&](const auto& make) {
    const Error error = error_of(make);
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, words));
    return std::string(error.what());
  };
  run_peers(
      kind.peer,
      [&](Bootstrap& line) {
        const std::string here = expect_error([&] { (void)kind.make_receiver(receiver, line, late()); });
        EXPECT_EQ(line.receive(late()), here);
      },
      [&](Bootstrap& line) { line.send(expect_error([&] { (void)kind.make_sender(sender, line, late()); })); });
}

TEST_P(ChannelContract, EndsThatDifferAreRefusedOnBothSides) {
  ChannelShape other = kShape;
  other.layout_hash = 0x5678;
  expect_refused(kShape, other, {"layout hash", "0000000000001234", "0000000000005678"});
  other = kShape;
  other.slot_bytes = 264;
  expect_refused(kShape, other, {"slot_bytes", "200", "264"});
  expect_refused(other, kShape, {"slot_bytes", "200", "264"});
  other.slot_bytes = 201;  // the same number of bytes in all
  expect_refused(kShape, other, {"slot_bytes", "200", "201"});
  other = kShape;
  other.slot_count = 4;
  expect_refused(kShape, other, {"slot_count", "3", "4"});
  other.slot_count = 0;
  expect_refused(other, kShape, {"0 slots"});
  expect_refused(kShape, other, {"0 slots"});
}

TEST_P(ChannelContract, EndsThatStayAloneStall) {
  auto [line, silent_end] = InProcessBootstrap::make_pair();
  EXPECT_EQ(error_of([&] { (void)GetParam().make_receiver(kShape, *line, soon()); }).kind(), ErrorKind::stall);
  EXPECT_EQ(error_of([&] { (void)GetParam().make_sender(kShape, *line, soon()); }).kind(), ErrorKind::stall);
}

std::chrono::nanoseconds cpu_time_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

template <typename Wait>
void expect_to_sleep_for_a_second(Wait wait) {
  const auto before = cpu_time_of_this_thread();
  EXPECT_EQ(wait(Deadline::after(1s)), ChannelStatus::timeout);
  EXPECT_LT(cpu_time_of_this_thread() - before, 10ms) << "a blocked end must sleep";
}

TEST_P(ChannelContract, ABlockedEndSleeps) {
  run(
      [](Receiver& receiver, Bootstrap& line) {
        expect_to_sleep_for_a_second([&](Deadline deadline) { return receive_nothing(receiver, deadline); });
        line.send("go");
        (void)line.receive(late());
      },
      [](auto sender, Bootstrap& line) {
        (void)line.receive(late());
        for (size_t number = 0; number < kShape.slot_count; ++number) send_one(*sender, number);
        expect_to_sleep_for_a_second([&](Deadline deadline) { return sender->acquire(deadline).first; });
        expect_to_sleep_for_a_second([&](Deadline deadline) { return sender->finish(deadline); });
        line.send("done");
      });
}

void flip_a_byte_of_the_frame_header(std::byte* payload) {
  payload[-64 + 9] ^= std::byte{1};
}

constexpr ChannelKind kShmThread{"shm_thread", make_shm_receiver, make_shm_sender, flip_a_byte_of_the_frame_header,
                                 PeerKind::thread};
constexpr ChannelKind kShmProcess{"shm_process", make_shm_receiver, make_shm_sender, flip_a_byte_of_the_frame_header,
                                  PeerKind::process};
INSTANTIATE_TEST_SUITE_P(Kinds, ChannelContract, testing::Values(kShmThread, kShmProcess), kind_name);

}  // namespace
}  // namespace dflash
