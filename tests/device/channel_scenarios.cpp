// The scenario of a channel: frames with checksums, from a thread to another, over shared memory.
#include <algorithm>
#include <thread>

#include "common/channel/shm_channel.h"
#include "tests/device/scenarios.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash {
namespace {

constexpr size_t kPayloadBytes =
    (size_t{8} << 20) + 20;  // takes a while to hash; the slot is padded to a multiple of 64

Deadline late() {
  return Deadline::after(std::chrono::seconds(20));
}

void send_frames(const ChannelShape& shape, Bootstrap& line, int frames) {
  const auto sender = make_shm_sender(shape, line, late());
  for (int i = 0; i < frames; ++i) {
    auto [status, slot] = sender->acquire(late());
    if (status != ChannelStatus::ok) return;  // the receiver has raised its alarm
    std::ranges::fill(slot.bytes(), std::byte{static_cast<unsigned char>(i + 1)});
    (void)sender->send(std::move(slot));
  }
  (void)sender->finish(Deadline::after(std::chrono::seconds(1)));
}

}  // namespace

std::string a_receiver_sees_whole_frames_and_believes_them() {
  const ChannelShape shape{kPayloadBytes, 2, 1, /*payload_checksum=*/true};
  auto [own, other] = InProcessBootstrap::make_pair();
  std::thread sender([&shape, &line = *other] { send_frames(shape, line, 2); });
  std::string alarm;
  try {
    const auto receiver = make_shm_receiver(shape, *own, late());
    for (int i = 0; i < 2; ++i) {
      auto [status, slot] = receiver->receive(late());
      if (status != ChannelStatus::ok) alarm = "a frame did not come";
    }
  } catch (const Error& error) {
    alarm = error.what();
  }
  sender.join();
  return alarm;
}

}  // namespace dflash
