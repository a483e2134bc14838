// What the nccl channel alone promises: frames from device to device, ports that never wait for each other in a circle,
// and a bound for everything that does not end.
#include "common/channel/nccl_channel.h"

#include <algorithm>
#include <random>
#include <thread>

#include "common/channel/device_slots.h"
#include "tests/channel/nccl_ends.h"

namespace dflash {
namespace {

constexpr ChannelShape kShape{.slot_bytes = 200, .slot_count = 3, .layout_hash = 0x1234, .payload_checksum = false};
constexpr NcclPortSettings kOnDevice{.slot_memory = MemoryKind::device, .patience = 60s};
constexpr NcclPortSettings kImpatient{.slot_memory = MemoryKind::pinned, .patience = 200ms, .leave_within = 100ms};

struct Ends {
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
};

Ends connect(PlayedProcess& target, PlayedProcess& drafter, const ChannelShape& shape = kShape) {
  auto [near_end, far_end] = InProcessBootstrap::make_pair();
  Ends ends;
  std::thread other([&, &line = *far_end] { ends.sender = make_nccl_sender(shape, line, late(), target.port); });
  ends.receiver = make_nccl_receiver(shape, *near_end, late(), drafter.port);
  other.join();
  return ends;
}

TEST(NcclChannel, BatchesGoFromDeviceToDevice) {
  PlayedProcess target(kOnDevice), drafter(kOnDevice);
  const Ends ends = connect(target, drafter);
  constexpr size_t kBatches = 30;
  std::thread other([&] {
    Pool batches = target.device.make_pool({"batches", MemoryKind::device, kShape.slot_bytes, 2});
    Stream compute = target.device.make_stream("compute"), copies = target.device.make_stream("copies");
    for (size_t number = 0; number < kBatches; ++number) {
      OnStream<Buffer> batch = batches.take(late()).value().on(compute);
      launch(
          compute,
          [number](std::span<std::byte> bytes) {
            std::memcpy(bytes.data(), payload_of(number, bytes.size()).data(), bytes.size());
          },
          batch);
      auto [status, slot] = ends.sender->acquire(late());
      ASSERT_EQ(status, ChannelStatus::ok);
      auto sides = copy_async(copies, std::move(batch), lend(std::move(slot))).land(late());
      ASSERT_EQ(send_landed(*ends.sender, std::move(sides.second)), ChannelStatus::ok);
    }
    EXPECT_EQ(ends.sender->finish(late()), ChannelStatus::ok);
  });
  Pool batches = drafter.device.make_pool({"batches", MemoryKind::device, kShape.slot_bytes, 2});
  Stream compute = drafter.device.make_stream("compute"), copies = drafter.device.make_stream("copies");
  for (size_t number = 0; number < kBatches; ++number) {
    auto [status, slot] = ends.receiver->receive(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    OnStream<Buffer> batch = copy_async(copies, lend(std::move(slot)), batches.take(late()).value()).then(compute);
    std::string found;
    launch(
        compute,
        [&found](std::span<std::byte> bytes) { found.assign(reinterpret_cast<char*>(bytes.data()), bytes.size()); },
        batch);
    static_cast<void>(std::move(batch).land(late()));
    EXPECT_EQ(found, payload_of(number, kShape.slot_bytes));
  }
  EXPECT_EQ(receive_nothing(*ends.receiver, late()), ChannelStatus::end_of_stream);
  other.join();
}

TEST(NcclChannel, SlotsOnADeviceHaveNoHostView) {
  PlayedProcess target(kOnDevice), drafter(kOnDevice);
  const Ends ends = connect(target, drafter);
  auto [status, slot] = ends.sender->acquire(late());
  EXPECT_EQ(status, ChannelStatus::ok);
  Landed<SendLease> lease = lend(std::move(slot));
  expect_error(ErrorKind::internal, "no host view", [&] { static_cast<void>(lease.host_view()); });
  ASSERT_EQ(send_landed(*ends.sender, std::move(lease)), ChannelStatus::ok);
  const Landed<ReceivedLease> received = lend(ends.receiver->receive(late()).second);
  expect_error(ErrorKind::internal, "no host view", [&] { static_cast<void>(received.host_view()); });
}

/// What a process receives and what it sends would wait for each other on its stream.
TEST(NcclChannel, APortEitherSendsOrReceives) {
  PlayedProcess target, drafter;
  const Ends ends = connect(target, drafter);
  auto [line, silent] = InProcessBootstrap::make_pair();
  expect_error(ErrorKind::internal, "give each its own",
               [&] { (void)make_nccl_receiver(kShape, *line, soon(), target.port); });
}

TEST(NcclChannel, SlotsOnADeviceHaveNoPayloadChecksum) {
  ChannelShape checked = kShape;
  checked.payload_checksum = true;
  const auto refused = [&](Bootstrap& line, const auto& make) {
    PlayedProcess process(kOnDevice);
    expect_error(ErrorKind::config, "has no payload checksums",
                 [&] { (void)make(checked, line, late(), process.port); });
  };
  run_in_thread([&](Bootstrap& line) { refused(line, make_nccl_receiver); },
                [&](Bootstrap& line) { refused(line, make_nccl_sender); });
}

TEST(NcclChannel, ACorruptPayloadIsAnErrorThatSticks) {
  ChannelShape checked = kShape;
  checked.payload_checksum = true;
  PlayedProcess target, drafter;
  const Ends ends = connect(target, drafter, checked);
  std::thread other([&] {
    for (size_t number = 0; number <= checked.slot_count; ++number) send_one(*ends.sender, number);
  });
  std::byte* const place = receive_one(*ends.receiver, 0).bytes().data();
  for (size_t number = 1; number < checked.slot_count; ++number) (void)receive_one(*ends.receiver, number);
  other.join();
  await_waiting_slots(*ends.receiver, 1);
  place[100] ^= std::byte{1};
  for (int repeat = 0; repeat < 2; ++repeat) {
    expect_error(ErrorKind::internal, "corrupt payload of frame 3", [&] { (void)ends.receiver->receive(late()); });
  }
}

/// Two senders and two receivers, each with a channel to every peer.
struct TwoByTwo {
  TwoByTwo() {
    for (size_t t = 0; t < 2; ++t) {
      for (size_t d = 0; d < 2; ++d) ends[t][d] = connect(targets[t], drafters[d]);
    }
  }
  [[nodiscard]] PostOffice::Way way_back(size_t drafter, size_t target) const {
    return {drafters[drafter].port.address(), targets[target].port.address()};
  }
  PlayedProcess targets[2], drafters[2];
  Ends ends[2][2];
};

TEST(NcclChannel, ManyPortsExchangeManyFrames) {
  constexpr size_t kFrames = 100;
  TwoByTwo all;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::minstd_rand random(static_cast<unsigned>(t));
      size_t sent[2] = {0, 0};
      while (sent[0] + sent[1] < 2 * kFrames) {
        const size_t d = sent[0] == kFrames ? 1 : sent[1] == kFrames ? 0 : random() % 2;
        send_one(*all.ends[t][d].sender, sent[d]++);
      }
      for (size_t d = 0; d < 2; ++d) EXPECT_EQ(all.ends[t][d].sender->finish(late()), ChannelStatus::ok);
    });
    for (size_t d = 0; d < 2; ++d) {
      threads.emplace_back([&, t, d] {
        for (size_t number = 0; number < kFrames; ++number) (void)receive_one(*all.ends[t][d].receiver, number);
        EXPECT_EQ(receive_nothing(*all.ends[t][d].receiver, late()), ChannelStatus::end_of_stream);
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
}

/// Each target offers a frame to one drafter, whose go is long under way, then one to the other. A drafter that said go
/// to that one too would let the targets send first what the drafters receive second.
TEST(NcclChannel, PortsDoNotWaitForEachOtherInACircle) {
  TwoByTwo all;
  PostOffice& office = PostOffice::instance();
  for (size_t i = 0; i < 2; ++i) {
    office.hold(all.way_back(i, i));
    send_one(*all.ends[i][i].sender, 0);
  }
  for (size_t i = 0; i < 2; ++i) {
    for (const Deadline deadline = late(); office.held_count(all.way_back(i, i)) == 0 && !deadline.expired();) {
      std::this_thread::sleep_for(1ms);
    }
    ASSERT_EQ(office.held_count(all.way_back(i, i)), 1U);
  }
  for (size_t i = 0; i < 2; ++i) send_one(*all.ends[i][1 - i].sender, 0);
  std::this_thread::sleep_for(100ms);  // for a go that must not come
  for (size_t i = 0; i < 2; ++i) office.release(all.way_back(i, i));
  for (auto& ends_of_target : all.ends) {
    for (Ends& ends : ends_of_target) {
      auto [status, slot] = ends.receiver->receive(Deadline::after(5s));
      ASSERT_EQ(status, ChannelStatus::ok);
    }
  }
}

TEST(NcclChannel, APeerThatTheTransportLosesIsLostAndTheOthersGoOn) {
  PlayedProcess first, second, drafter;
  Ends lost = connect(first, drafter);
  Ends other = connect(second, drafter);
  send_one(*lost.sender, 0);
  (void)receive_one(*lost.receiver, 0);
  drafter.transports[0]->fail();
  // Whether an error is seen while a frame is under way is a matter of time, so frames are sent until it is.
  ChannelStatus status = ChannelStatus::ok;
  for (size_t number = 1; status == ChannelStatus::ok && number < 10'000; ++number) {
    auto [acquired, slot] = lost.sender->acquire(soon());
    if (acquired == ChannelStatus::ok) (void)lost.sender->send(std::move(slot));
    status = receive_nothing(*lost.receiver, Deadline::after(1s));
  }
  EXPECT_EQ(status, ChannelStatus::peer_lost);
  EXPECT_EQ(receive_nothing(*lost.receiver, late()), ChannelStatus::peer_lost) << "the first status sticks";
  for (size_t number = 0; number < 10; ++number) {
    send_one(*other.sender, number);
    (void)receive_one(*other.receiver, number);
  }
  static_cast<void>(first.transports[0]->abort(now()));  // its send waits for a receive that was aborted
}

TEST(NcclChannel, ASenderThatDoesNotAnswerIsGivenUpInTimeAndTheOthersGoOn) {
  PlayedProcess deaf(kImpatient), second, drafter(kImpatient);
  Ends stuck = connect(deaf, drafter);
  PostOffice::instance().hold({drafter.port.address(), deaf.port.address()});
  Ends other = connect(second, drafter);
  send_one(*stuck.sender, 0);  // offered; that it may be sent is never heard
  std::this_thread::sleep_for(50ms);
  send_one(*other.sender, 0);
  const auto begin = Deadline::Clock::now();
  expect_error(ErrorKind::stall, "has not done its part of a frame within the time",
               [&] { (void)stuck.receiver->receive(late()); });
  EXPECT_LT(Deadline::Clock::now() - begin, 3s);
  (void)receive_one(*other.receiver, 0);
}

TEST(NcclChannel, WhatCannotBeSaidFailsTheChannelAndGarbageThePort) {
  using Word = NcclMessage::Word;
  const auto after = [](const std::string& text) {
    PlayedProcess target, drafter;
    const Ends ends = connect(target, drafter);
    PostOffice::instance().put({target.port.address(), drafter.port.address()}, text);
    return std::string(error_of([&] { (void)ends.receiver->receive(late()); }).what());
  };
  const auto message = [](Word word, uint64_t frames) {
    return NcclMessage{.channel = 0, .word = word, .frames = frames, .header = {}}.to_text();
  };
  EXPECT_NE(after(message(Word::offer, 1)).find("word 0 of frame 1 is not the next"), std::string::npos);
  EXPECT_NE(after(message(Word::done, 5)).find("is not the last"), std::string::npos);
  EXPECT_NE(after(message(Word::go, 0)).find("is no sender's to say"), std::string::npos);
  EXPECT_NE(after("hello").find("a message of 5 bytes"), std::string::npos);
  EXPECT_NE(after(message(static_cast<Word>(7), 0)).find("is none that one sends"), std::string::npos);
  NcclMessage unknown{.channel = 9, .word = Word::offer, .frames = 0, .header = {}};
  EXPECT_NE(after(unknown.to_text()).find("nccl channel 9, of 1"), std::string::npos);
}

TEST(NcclChannel, AGoThatWasNotAskedForFailsTheSender) {
  PlayedProcess target, drafter;
  const Ends ends = connect(target, drafter);
  const NcclMessage go{.channel = 0, .word = NcclMessage::Word::go, .frames = 0, .header = {}};
  PostOffice::instance().put({drafter.port.address(), target.port.address()}, go.to_text());
  const Deadline deadline = late();
  const auto acquire_until_it_fails = [&] {
    while (!deadline.expired()) (void)ends.sender->acquire(soon());
  };
  expect_error(ErrorKind::internal, "was not offered", acquire_until_it_fails);
}

}  // namespace
}  // namespace dflash
