// The contract suite's common ground: what a kind of channel must offer to join it, and how a test looks from both
// ends.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"
#include "tests/support/errors.h"
#include "tests/support/peers.h"

namespace dflash {

using namespace std::chrono_literals;

inline Deadline now() {
  return Deadline::after(0s);
}
inline Deadline soon() {
  return Deadline::after(20ms);
}
inline Deadline late() {
  return Deadline::after(30s);
}

/// One way to run the suite: a kind of channel, and where its two ends live.
struct TestedKind {
  std::string name;
  std::function<std::unique_ptr<Receiver>(const ChannelShape&, Bootstrap&, Deadline)> make_receiver;
  std::function<std::unique_ptr<Sender>(const ChannelShape&, Bootstrap&, Deadline)> make_sender;
  std::function<void(const Side& here, const Side& there)> run_peers;
  bool own_process;  ///< the sender lives in a process of its own
  /// A frame waits for the receiver in the memory in which it is received, so that a fault there can befall it. Of a
  /// file that is not so: what can befall it is in recorded_folder_test.cpp and file_channel_test.cpp.
  bool frames_wait_in_memory = true;
  /// What was sent arrives also when the sender's process stands still right behind it: of kinds whose ends must both
  /// do their part of a frame that is not so.
  bool frames_travel_alone = true;
};

/// What this binary tests; defined beside the main that prepares it.
std::vector<TestedKind> tested_kinds();

inline void PrintTo(const TestedKind& kind, std::ostream* out) {
  *out << kind.name;
}

class ChannelContract : public testing::TestWithParam<TestedKind> {
 protected:
  /// 200 is no multiple of 64 on purpose.
  static constexpr ChannelShape kShape{
      .slot_bytes = 200, .slot_count = 3, .layout_hash = 0x1234, .payload_checksum = false};

  using ReceiverSide = std::function<void(Receiver& receiver, Bootstrap& line)>;
  using SenderSide = std::function<void(std::unique_ptr<Sender> sender, Bootstrap& line)>;

  /// The receiver runs in the test's own thread, the sender in a thread or process of its own.
  static void run(const ReceiverSide& receiver_side, const SenderSide& sender_side,
                  const ChannelShape& shape = kShape) {
    GetParam().run_peers([&](Bootstrap& line) { receiver_side(*GetParam().make_receiver(shape, line, late()), line); },
                         [&](Bootstrap& line) { sender_side(GetParam().make_sender(shape, line, late()), line); });
  }
};

/// The bytes of batch `number`: every byte depends on it.
inline std::string payload_of(size_t number, size_t bytes) {
  std::string payload(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) payload[i] = static_cast<char>(number * 31 + i * 7);
  return payload;
}

inline void send_one(Sender& sender, size_t number) {
  auto [status, slot] = sender.acquire(late());
  ASSERT_EQ(status, ChannelStatus::ok);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(slot.bytes().data()) % 64, 0U);
  const std::string payload = payload_of(number, slot.bytes().size());
  std::memcpy(slot.bytes().data(), payload.data(), payload.size());
  ASSERT_EQ(sender.send(std::move(slot)), ChannelStatus::ok);
}

inline ReceivedSlot receive_one(Receiver& receiver, size_t number) {
  auto [status, slot] = receiver.receive(late());
  EXPECT_EQ(status, ChannelStatus::ok);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(slot.bytes().data()), slot.bytes().size()),
            payload_of(number, slot.bytes().size()));
  return std::move(slot);
}

inline ChannelStatus receive_nothing(Receiver& receiver, Deadline deadline) {
  return receiver.receive(deadline).first;
}

/// Waits until `count` slots are waiting: a frame may take a moment to arrive.
inline void await_waiting_slots(const Receiver& receiver, size_t count) {
  const Deadline deadline = late();
  while (receiver.waiting_slots() != count && !deadline.expired()) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(receiver.waiting_slots(), count);
}

inline std::string kind_name(const testing::TestParamInfo<TestedKind>& info) {
  return info.param.name;
}

}  // namespace dflash
