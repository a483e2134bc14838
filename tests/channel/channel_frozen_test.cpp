// What every kind of channel promises when the process at the other end stands still for a while: a wait ends at its
// deadline, and afterwards everything goes on. (A process that dies: lost_peer_test.cpp.)
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "tests/channel/channel_contract.h"

namespace dflash {
namespace {

constexpr size_t kFrames = 20;

/// Runs where the other end lives in another process; that end is `there`, so that the test itself never stops.
class Frozen : public ChannelContract {
 protected:
  void SetUp() override {
    if (!GetParam().own_process) GTEST_SKIP() << "only a process can be stopped";
  }
};

char state_of_process(pid_t pid) {
  std::string pid_field, name, state;
  std::ifstream("/proc/" + std::to_string(pid) + "/stat") >> pid_field >> name >> state;
  return state.empty() ? '?' : state.front();
}

void await_stopped(pid_t pid) {
  const Deadline deadline = late();
  while (state_of_process(pid) != 'T' && !deadline.expired()) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(state_of_process(pid), 'T');
}

/// The wait must end at its deadline, not before and not much later.
template <typename Wait>
void expect_timeout(Wait wait) {
  const auto begin = Deadline::Clock::now();
  EXPECT_EQ(wait(Deadline::after(300ms)), ChannelStatus::timeout);
  EXPECT_GE(Deadline::Clock::now() - begin, 300ms);
  EXPECT_LT(Deadline::Clock::now() - begin, 5s);
}

TEST_P(Frozen, ASenderThatStandsStillLosesNothing) {
  run(
      [](Receiver& receiver, Bootstrap& line) {
        const pid_t sender = std::stoi(line.receive(late()));
        for (size_t number = 0; number < 3; ++number) (void)receive_one(receiver, number);
        if (!GetParam().frames_travel_alone) line.send("arrived");
        await_stopped(sender);
        expect_timeout([&](Deadline deadline) { return receive_nothing(receiver, deadline); });
        ASSERT_EQ(kill(sender, SIGCONT), 0);
        for (size_t number = 3; number < kFrames; ++number) (void)receive_one(receiver, number);
        EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
      },
      [](auto sender, Bootstrap& line) {
        line.send(std::to_string(getpid()));
        for (size_t number = 0; number < kFrames; ++number) {
          if (number == 3 && !GetParam().frames_travel_alone) (void)line.receive(late());
          if (number == 3) raise(SIGSTOP);
          send_one(*sender, number);
        }
        EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
      });
}

void send_to_one_that_stands_still(Sender& sender, Bootstrap& line) {
  const pid_t receiver = std::stoi(line.receive(late()));
  for (size_t number = 0; number < 3; ++number) send_one(sender, number);
  await_stopped(receiver);
  expect_timeout([&](Deadline deadline) { return sender.acquire(deadline).first; });
  ASSERT_EQ(kill(receiver, SIGCONT), 0);
  for (size_t number = 3; number < kFrames; ++number) send_one(sender, number);
  line.send("sent");
  await_stopped(receiver);
  expect_timeout([&](Deadline deadline) { return sender.finish(deadline); });
  ASSERT_EQ(kill(receiver, SIGCONT), 0);
  EXPECT_EQ(sender.finish(late()), ChannelStatus::ok);
}

void receive_with_rests(Receiver& receiver, Bootstrap& line) {
  line.send(std::to_string(getpid()));
  await_waiting_slots(receiver, 3);
  raise(SIGSTOP);
  for (size_t number = 0; number < kFrames - 1; ++number) (void)receive_one(receiver, number);
  (void)line.receive(late());
  raise(SIGSTOP);
  (void)receive_one(receiver, kFrames - 1);
  EXPECT_EQ(receive_nothing(receiver, late()), ChannelStatus::end_of_stream);
}

TEST_P(Frozen, AReceiverThatStandsStillLosesNothing) {
  GetParam().run_peers(
      [](Bootstrap& line) { send_to_one_that_stands_still(*GetParam().make_sender(kShape, line, late()), line); },
      [](Bootstrap& line) { receive_with_rests(*GetParam().make_receiver(kShape, line, late()), line); });
}

INSTANTIATE_TEST_SUITE_P(Kinds, Frozen, testing::ValuesIn(tested_kinds()), kind_name);

}  // namespace
}  // namespace dflash
