// NcclSendLink, NcclReceiveLink: one end of a nccl channel as the port of its process (nccl_port.h) sees it: which
// frames were offered, which are under way, which are over.
//
//   sender's     written -> offered -> (go) under way -> sent
//   receiver's   offered -> its turn comes: a receive is enqueued, go is told -> arrived -> received -> released
//
// Threading: everything under the port's lock. Owns: a share of slots and transport, and the transfers under way.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "common/base/error.h"
#include "common/base/process.h"
#include "common/channel/device_slots.h"
#include "common/channel/nccl_messages.h"
#include "common/channel/nccl_slots.h"
#include "common/nccl/communication_thread.h"

namespace dflash {

class NcclPort;

/// The peer's end.
struct NcclPeer {
  int address = -1;      ///< of its port
  uint32_t channel = 0;  ///< as that one numbers its channels
  ProcessWatch process;
  std::shared_ptr<Transport> transport;
};

class NcclLink {
 public:
  NcclLink(NcclPort& port, const ChannelShape& shape, NcclSlots slots)
      : port_(port), shape_(shape), slots_(std::move(slots)) {}
  virtual ~NcclLink() = default;
  NcclLink(const NcclLink&) = delete;
  NcclLink& operator=(const NcclLink&) = delete;

  void connect(NcclPeer peer) { peer_ = std::move(peer); }
  [[nodiscard]] bool is_connected() const { return peer_.transport != nullptr; }
  [[nodiscard]] const NcclPeer& peer() const { return peer_; }
  [[nodiscard]] const ChannelShape& shape() const { return shape_; }
  [[nodiscard]] const NcclSlots& slots() const { return slots_; }

  [[nodiscard]] virtual bool sends() const = 0;
  /// What the peer's end says. What it cannot say fails the link.
  virtual void take(const NcclMessage& message) = 0;
  /// Lands the transfers that are over; true when there were any.
  bool look();
  /// Why the transfers under way can no longer end well, once; null as long as they can.
  [[nodiscard]] std::exception_ptr why_abort();
  /// The first one counts.
  void fail(const std::exception_ptr& why);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] bool peer_gone() const { return peer_gone_; }

  /// The end is destroyed; what it has begun goes on.
  void leave() { left_ = true; }
  [[nodiscard]] bool has_left() const { return left_; }
  /// Frames are on their way.
  [[nodiscard]] virtual bool is_busy() const { return !under_way_.empty(); }
  /// To the peer's end; of a sender, when it has sent everything it can.
  virtual void tell_gone() = 0;

 protected:
  void tell(NcclMessage::Word word, uint64_t frames, const FrameHeader& header = {});
  void add_transfer(SlotTransfer<SendLease> transfer);
  [[nodiscard]] OnStream<SendLease> slot_on_stream(uint64_t index);
  [[nodiscard]] uint64_t landed() const { return landed_; }
  void refuse(const NcclMessage& message, const char* state);

  NcclPort& port_;
  bool peer_gone_ = false;
  bool broken_off_ = false;  // the peer is gone, and a frame under way will not come

 private:
  struct UnderWay {
    SlotTransfer<SendLease> transfer;
    Deadline patience;
  };
  const ChannelShape shape_;
  const NcclSlots slots_;
  NcclPeer peer_;
  std::deque<UnderWay> under_way_;
  uint64_t landed_ = 0;
  bool aborted_ = false;
  bool left_ = false;
  std::optional<Error> error_;
};

class NcclSendLink final : public NcclLink {
 public:
  using NcclLink::NcclLink;

  [[nodiscard]] bool sends() const override { return true; }
  void take(const NcclMessage& message) override;
  [[nodiscard]] bool is_busy() const override { return NcclLink::is_busy() || (!error() && awaits_go()); }

  /// There is credit, and the slot of the next frame is not being sent.
  [[nodiscard]] bool may_write() const {
    return offered_ - released_ < shape().slot_count && offered_ - landed() < slots().count();
  }
  [[nodiscard]] uint64_t offered() const { return offered_; }
  [[nodiscard]] bool all_released() const { return released_ == offered_; }
  void offer(const FrameHeader& header);
  void tell_done() { tell(NcclMessage::Word::done, offered_); }
  void tell_gone() override { tell(NcclMessage::Word::gone, landed()); }

 private:
  [[nodiscard]] bool awaits_go() const { return started_ < offered_ && !peer_gone_; }
  void start();

  uint64_t offered_ = 0;
  uint64_t started_ = 0;
  uint64_t released_ = 0;
};

class NcclReceiveLink final : public NcclLink {
 public:
  using NcclLink::NcclLink;

  [[nodiscard]] bool sends() const override { return false; }
  void take(const NcclMessage& message) override;

  /// A receive for the frame that is next, and go. False when there is none to be started any more.
  [[nodiscard]] bool start();
  [[nodiscard]] size_t waiting() const { return landed() - next_; }
  [[nodiscard]] uint64_t next() const { return next_; }
  /// Everything that was offered has arrived and was received.
  [[nodiscard]] bool is_empty() const { return next_ == offered_; }
  [[nodiscard]] bool peer_done() const { return peer_done_; }
  /// The next frame is received: its header.
  [[nodiscard]] FrameHeader take_next();
  void release();
  void tell_gone() override { tell(NcclMessage::Word::gone, released_); }

 private:
  std::deque<FrameHeader> headers_;  // of frames not yet received
  uint64_t offered_ = 0;
  uint64_t started_ = 0;
  uint64_t next_ = 0;
  uint64_t released_ = 0;
  bool peer_done_ = false;
};

}  // namespace dflash
