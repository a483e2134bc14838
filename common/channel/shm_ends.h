// The two ends of a shm channel over a ring that both have mapped. How they find each other: shm_channel.cpp.
//
// Threading: one thread per end, but a ReceivedSlot may be released, and waiting_slots asked, from any thread.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "common/base/error.h"
#include "common/channel/channel.h"
#include "common/channel/shm_ring.h"

namespace dflash {

class ShmSender final : public Sender {
 public:
  explicit ShmSender(ShmRing ring) : ring_(std::move(ring)) {}
  ~ShmSender() override;

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override;
  ChannelStatus send(SendSlot&& slot) override;
  ChannelStatus finish(Deadline deadline) override;

 private:
  [[nodiscard]] bool receiver_gone();

  ShmRing ring_;
  uint64_t next_index_ = 0;
  bool acquired_ = false;  // a token of `free` was taken for next_index_ and not sent yet
  bool finishing_ = false;
  bool closed_ = false;
};

class ShmReceiver final : public Receiver, private SlotOwner {
 public:
  explicit ShmReceiver(ShmRing ring) : ring_(std::move(ring)) {}
  ~ShmReceiver() override;

  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override;
  [[nodiscard]] size_t waiting_slots() const override;
  [[nodiscard]] ShmRing& ring() { return ring_; }

 private:
  void release_slot() noexcept override;
  void check_frame(uint64_t index, uint64_t sent);
  [[noreturn]] void fail(const std::string& message);
  [[nodiscard]] ChannelStatus status_of_no_frame();

  ShmRing ring_;
  std::atomic<uint64_t> next_index_ = 0;
  std::optional<ChannelStatus> ended_;
  std::optional<Error> error_;
};

}  // namespace dflash
