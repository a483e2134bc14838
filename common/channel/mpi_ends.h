// The two ends of an mpi channel. How they meet: mpi_channel.cpp.
//
// The receiver has a receive posted for every free slot before it tells the sender of it, so no frame ever arrives
// unexpected. Waits look again and again with growing pauses (at most 16 ms).
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "common/base/error.h"
#include "common/base/process.h"
#include "common/channel/channel.h"
#include "common/channel/lent_slots.h"
#include "common/channel/mpi_notices.h"
#include "common/channel/mpi_slots.h"

namespace dflash {

class MpiSender final : public Sender {
 public:
  MpiSender(MpiSlots slots, MpiNotices notices, ProcessWatch peer)
      : slots_(std::move(slots)), notices_(std::move(notices)), peer_(std::move(peer)) {}
  ~MpiSender() override;

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override;
  ChannelStatus send(SendSlot&& slot) override;
  ChannelStatus finish(Deadline deadline) override;

 private:
  [[nodiscard]] bool may_write();
  [[nodiscard]] bool all_released() { return notices_.peer().frames == next_index_; }
  [[nodiscard]] std::optional<ChannelStatus> receiver_left();
  [[nodiscard]] bool ended();

  MpiSlots slots_;
  MpiNotices notices_;
  ProcessWatch peer_;
  uint64_t next_index_ = 0;
  bool acquired_ = false;
  bool finishing_ = false;
  std::optional<ChannelStatus> ended_;
};

class MpiReceiver final : public Receiver {
 public:
  /// A receive is posted for every slot.
  MpiReceiver(MpiSlots slots, MpiNotices notices, ProcessWatch peer)
      : slots_(std::move(slots)),
        notices_(std::move(notices)),
        peer_(std::move(peer)),
        lent_(slots_.memory(), [this] { take_back(); }) {}
  ~MpiReceiver() override;

  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override;
  [[nodiscard]] size_t waiting_slots() const override;

 private:
  void take_back() noexcept;
  [[nodiscard]] std::pair<ChannelStatus, ReceivedSlot> receive_frame(Deadline deadline);
  [[nodiscard]] bool frame_came(uint64_t index) const;
  [[nodiscard]] std::optional<ChannelStatus> sender_left();

  mutable std::mutex mutex_;  // slots may be released by another thread; held for moments only
  mutable MpiSlots slots_;    // mutable: to ask MPI how far it is, it must be let work
  MpiNotices notices_;
  ProcessWatch peer_;
  uint64_t next_index_ = 0;
  uint64_t released_ = 0;
  std::optional<ChannelStatus> ended_;
  std::optional<Error> error_;
  LentSlots lent_;  // last: it calls take_back()
};

}  // namespace dflash
