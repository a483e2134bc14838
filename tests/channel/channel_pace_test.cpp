// What every kind of channel promises when its ends differ in pace: nothing lost, nothing piled up, no time burnt.
#include <sys/resource.h>

#include "tests/channel/channel_contract.h"

namespace dflash {
namespace {

using Pace = ChannelContract;

std::chrono::nanoseconds cpu_time_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Less than 1 % of the time.
template <typename Wait>
void expect_to_sleep_for_a_second(const char* what, Wait wait) {
  const auto before = cpu_time_of_this_thread();
  EXPECT_EQ(wait(Deadline::after(1s)), ChannelStatus::timeout);
  const auto used = cpu_time_of_this_thread() - before;
  EXPECT_LT(used, 10ms) << what << " must sleep";
  testing::Test::RecordProperty(what, std::to_string(used.count() / 1000) + " us in 1 s");
}

TEST_P(Pace, ABlockedEndSleeps) {
  run(
      [](Receiver& receiver, Bootstrap& line) {
        expect_to_sleep_for_a_second("receive", [&](Deadline deadline) { return receive_nothing(receiver, deadline); });
        line.send("go");
        (void)line.receive(late());
      },
      [](auto sender, Bootstrap& line) {
        (void)line.receive(late());
        for (size_t number = 0; number < kShape.slot_count; ++number) send_one(*sender, number);
        expect_to_sleep_for_a_second("acquire", [&](Deadline deadline) { return sender->acquire(deadline).first; });
        expect_to_sleep_for_a_second("finish", [&](Deadline deadline) { return sender->finish(deadline); });
        line.send("done");
      });
}

/// A frame of the slow-reader test begins with the time at which its slot was acquired.
using Stamp = Deadline::Clock::time_point;  // one clock for all processes of a node

void send_stamped(Sender& sender, size_t number) {
  auto [status, slot] = sender.acquire(late());
  const Stamp acquired = Deadline::Clock::now();
  ASSERT_EQ(status, ChannelStatus::ok);
  const std::string payload = payload_of(number, slot.bytes().size());
  std::memcpy(slot.bytes().data(), payload.data(), payload.size());
  std::memcpy(slot.bytes().data(), &acquired, sizeof acquired);
  ASSERT_EQ(sender.send(std::move(slot)), ChannelStatus::ok);
}

/// When the slot of frame `number` was acquired.
Stamp check_stamped(const ReceivedSlot& slot, size_t number) {
  Stamp acquired;
  std::memcpy(&acquired, slot.bytes().data(), sizeof acquired);
  const std::string expected = payload_of(number, slot.bytes().size()).substr(sizeof acquired);
  EXPECT_EQ(std::memcmp(slot.bytes().data() + sizeof acquired, expected.data(), expected.size()), 0) << number;
  return acquired;
}

// The writer needs some microseconds a frame, the reader thousands.
TEST_P(Pace, AReaderAThousandTimesSlowerLosesNothing) {
  constexpr size_t kFrames = 200;
  run(
      [](Receiver& receiver, Bootstrap&) {
        std::vector<Stamp> released;
        for (size_t number = 0; number < kFrames; ++number) {
          auto [status, slot] = receiver.receive(late());
          ASSERT_EQ(status, ChannelStatus::ok);
          const Stamp acquired = check_stamped(slot, number);
          if (number >= kShape.slot_count) {
            EXPECT_GE(acquired, released[number - kShape.slot_count]) << "more than slot_count frames were under way";
          }
          EXPECT_LT(receiver.waiting_slots(), kShape.slot_count);
          std::this_thread::sleep_for(5ms);
          released.push_back(Deadline::Clock::now());
        }
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
      },
      [](auto sender, Bootstrap&) {
        for (size_t number = 0; number < kFrames; ++number) send_stamped(*sender, number);
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
      });
}

INSTANTIATE_TEST_SUITE_P(Kinds, Pace, testing::ValuesIn(tested_kinds()), kind_name);

}  // namespace
}  // namespace dflash
