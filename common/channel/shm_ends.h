// The two ends of a shm channel over a ring that both have mapped. How they find each other: shm_channel.cpp.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "common/base/error.h"
#include "common/base/process.h"
#include "common/channel/channel.h"
#include "common/channel/lent_slots.h"
#include "common/channel/shm_ring.h"
#include "common/channel/token_taker.h"

namespace dflash {

class ShmSender final : public Sender {
 public:
  ShmSender(std::shared_ptr<ShmRing> ring, ProcessWatch peer)
      : ring_(std::move(ring)), free_(ring_->control().free), peer_(std::move(peer)) {}
  ~ShmSender() override;

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override;
  ChannelStatus send(SendSlot&& slot) override;
  ChannelStatus finish(Deadline deadline) override;

 private:
  [[nodiscard]] bool closed_by_receiver();                           // a load
  [[nodiscard]] std::optional<ChannelStatus> receiver_left() const;  // a system call
  void write_header(std::span<const std::byte> payload);

  const std::shared_ptr<ShmRing> ring_;  // shared with slots that are out
  TokenTaker free_;
  ProcessWatch peer_;
  uint64_t next_index_ = 0;
  bool acquired_ = false;  // a token of `free` was taken for next_index_ and not sent yet
  bool finishing_ = false;
  std::optional<ChannelStatus> ended_;
};

class ShmReceiver final : public Receiver {
 public:
  explicit ShmReceiver(std::shared_ptr<ShmRing> ring);
  ~ShmReceiver() override;
  /// Who sends; known once the sender has answered.
  void watch(ProcessWatch peer) { peer_ = std::move(peer); }

  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override;
  [[nodiscard]] size_t waiting_slots() const override;
  [[nodiscard]] ShmRing& ring() { return *ring_; }

 private:
  [[nodiscard]] std::pair<ChannelStatus, ReceivedSlot> receive_frame(Deadline deadline);
  [[nodiscard]] ChannelStatus status_of_no_frame(uint64_t index) const;

  const std::shared_ptr<ShmRing> ring_;
  TokenTaker filled_;
  LentSlots lent_;
  ProcessWatch peer_;
  std::atomic<uint64_t> next_index_ = 0;
  std::optional<ChannelStatus> ended_;
  std::optional<Error> error_;
};

}  // namespace dflash
