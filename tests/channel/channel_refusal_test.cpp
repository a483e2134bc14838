// What every kind of channel refuses: ends that differ, ends that stay alone, frames that are not what they should be.
#include "tests/channel/channel_contract.h"

namespace dflash {
namespace {

using Refusals = ChannelContract;

/// Both ends must end with the same Error{config} that holds all of `words`.
void expect_refused(const ChannelShape& receiver, const ChannelShape& sender, const std::vector<std::string>& words) {
  const TestedKind& kind = ChannelContract::GetParam();
  const auto expect_error = [&](const auto& make) {
    const Error error = error_of(make);
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, words));
    return std::string(error.what());
  };
  kind.run_peers(
      [&](Bootstrap& line) {
        const std::string here = expect_error([&] { (void)kind.make_receiver(receiver, line, late()); });
        EXPECT_EQ(line.receive(late()), here);
      },
      [&](Bootstrap& line) { line.send(expect_error([&] { (void)kind.make_sender(sender, line, late()); })); });
}

TEST_P(Refusals, EndsThatDifferAreRefusedOnBothSides) {
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
  other.payload_checksum = true;
  expect_refused(kShape, other, {"payload checksum", "off at the receiver", "on at the sender"});
  other = kShape;
  other.slot_count = 4;
  expect_refused(kShape, other, {"slot_count", "3", "4"});
  other.slot_count = 0;
  expect_refused(other, kShape, {"0 slots"});
  expect_refused(kShape, other, {"0 slots"});
}

TEST_P(Refusals, MemoryThatDoesNotSufficeIsSaidOnBothSides) {
  const TestedKind& kind = GetParam();
  ChannelShape huge = kShape;
  huge.slot_bytes = size_t{1} << 40;
  huge.slot_count = size_t{1} << 10;
  kind.run_peers(
      [&](Bootstrap& line) {
        const Error error = error_of([&] { (void)kind.make_receiver(huge, line, late()); });
        EXPECT_EQ(error.kind(), ErrorKind::no_space);
        EXPECT_EQ(line.receive(late()), error.what());
      },
      [&](Bootstrap& line) {
        const Error error = error_of([&] { (void)kind.make_sender(huge, line, late()); });
        EXPECT_EQ(error.kind(), ErrorKind::no_space);
        line.send(error.what());
      });
}

TEST_P(Refusals, EndsThatStayAloneStall) {
  auto [line, silent_end] = InProcessBootstrap::make_pair();
  EXPECT_EQ(error_of([&] { (void)GetParam().make_receiver(kShape, *line, soon()); }).kind(), ErrorKind::stall);
  EXPECT_EQ(error_of([&] { (void)GetParam().make_sender(kShape, *line, soon()); }).kind(), ErrorKind::stall);
}

TEST_P(Refusals, AGreetingThatIsNotUnderstood) {
  for (const char* greeting : {"", "hello", "dflash-channel shm 1 2 3", "dflash-channel shm one 2 3 0 4 5 6"}) {
    auto [sender_line, receiver_line] = InProcessBootstrap::make_pair();
    receiver_line->send(greeting);
    const Error error = error_of([&, &line = *sender_line] { (void)GetParam().make_sender(kShape, line, late()); });
    EXPECT_EQ(error.kind(), ErrorKind::internal) << greeting;
    EXPECT_TRUE(says(error, {"said '" + std::string(greeting)}));
  }
}

TEST_P(Refusals, AnEndOfAnotherKind) {
  auto [sender_line, receiver_line] = InProcessBootstrap::make_pair();
  receiver_line->send("dflash-channel pigeon 200 3 4660 0 1 2 coop 7");
  const Error error = error_of([&, &line = *sender_line] { (void)GetParam().make_sender(kShape, line, late()); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {"the kind is pigeon at the receiver, " +
                           GetParam().name.substr(0, GetParam().name.rfind('_')) + " at the sender"}));
  EXPECT_EQ(receiver_line->receive(now()), "refused 10 " + std::string(error.what()));
}

/// Sends one frame more than there are slots; before the receiver takes the last one, flips a byte of it: counted from
/// where its payload begins, which is where that of frame 0 was.
void expect_flip_is_found(const ChannelShape& shape, int offset, const std::string& words) {
  const auto receiver_side = [&](Receiver& receiver, Bootstrap&) {
    std::byte* const place = receive_one(receiver, 0).bytes().data();
    for (size_t number = 1; number < shape.slot_count; ++number) (void)receive_one(receiver, number);
    await_waiting_slots(receiver, 1);
    place[offset] ^= std::byte{1};
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Error error = error_of([&] { (void)receiver.receive(late()); });
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_TRUE(says(error, {words}));
    }
  };
  const auto sender_side = [&](Sender& sender, Bootstrap&) {
    for (size_t number = 0; number <= shape.slot_count; ++number) send_one(sender, number);
    EXPECT_EQ(sender.finish(late()), ChannelStatus::closed);
  };
  const TestedKind& kind = ChannelContract::GetParam();
  kind.run_peers([&](Bootstrap& line) { receiver_side(*kind.make_receiver(shape, line, late()), line); },
                 [&](Bootstrap& line) { sender_side(*kind.make_sender(shape, line, late()), line); });
}

TEST_P(Refusals, ACorruptHeaderIsAnErrorThatSticks) {
  if (!GetParam().frames_wait_in_memory) GTEST_SKIP() << "there is no frame in memory to be corrupted";
  for (const int offset : {-64, -64 + 9, -64 + 17, -64 + 25, -64 + 33, -1}) {
    expect_flip_is_found(kShape, offset, "corrupt header of frame 3");
  }
}

TEST_P(Refusals, ACorruptPayloadIsAnErrorThatSticks) {
  if (!GetParam().frames_wait_in_memory) GTEST_SKIP() << "there is no frame in memory to be corrupted";
  ChannelShape checked = kShape;
  checked.payload_checksum = true;
  for (const int offset : {0, 100, 199}) expect_flip_is_found(checked, offset, "corrupt payload of frame 3");
  expect_flip_is_found(checked, -64 + 25, "corrupt header of frame 3");
}

TEST_P(Refusals, WholePayloadsPassTheirChecksum) {
  ChannelShape checked = kShape;
  checked.payload_checksum = true;
  run(
      [](Receiver& receiver, Bootstrap&) {
        for (size_t number = 0; number < 10; ++number) (void)receive_one(receiver, number);
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
      },
      [](auto sender, Bootstrap&) {
        for (size_t number = 0; number < 10; ++number) send_one(*sender, number);
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
      },
      checked);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Refusals, testing::ValuesIn(tested_kinds()), kind_name);

}  // namespace
}  // namespace dflash
