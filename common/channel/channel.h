// A channel: bulk bytes in fixed slots from one sender to one receiver, in order. It knows neither tensors nor MPI.
//
// Life of a slot:
//   1. sender:   acquire(deadline) -> SendSlot, 64-byte aligned memory of slot_bytes; a free slot is the credit, its
//                absence the backpressure
//   2. sender:   writes the bytes, send(std::move(slot))
//   3. receiver: receive(deadline) -> ReceivedSlot: reads the bytes in place, no copy
//   4. receiver: destroys the ReceivedSlot, or calls release(), in any order: the slot is free again as soon as all
//                that were received before it are
// At the end the sender calls finish(deadline): the receiver gets end_of_stream after the last slot.
//
// Right:  auto [status, slot] = sender.acquire(deadline); if (status != ChannelStatus::ok) return status; ...
// Wrong:  keeping slot.bytes() after send(): the receiver may already be reading, or the slot be reused.
//
// What was completely sent is received, also after the sender is gone: then comes `closed` when it was destroyed in
// order, `peer_lost` when its process died.
//
// Slots of both ends may outlive the end they are of, and keep its memory until then. Threading: one thread per end; a
// ReceivedSlot may be released, and waiting_slots asked, from any thread. Errors:
// statuses for what happens in an orderly run; Error for broken promises (a layout hash that differs, a corrupt frame).
// After any status but ok and timeout an end repeats that status; a receiver's Error is repeated too (the first one
// sticks). Limits: a sender holds one SendSlot at a time. Kinds: channel_kind.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "common/base/deadline.h"
#include "common/device/memory_kind.h"

namespace dflash {

enum class ChannelStatus {
  ok,
  end_of_stream,  ///< receiver: the sender finished and every slot was received
  timeout,        ///< nothing changed before the deadline; the call may be repeated
  closed,         ///< the other end was destroyed before the stream ended
  peer_lost,      ///< the process of the other end died; seen only when it is a process of the same node
};

/// What both ends must agree on before the first byte.
struct ChannelShape {
  size_t slot_bytes = 0;
  size_t slot_count = 0;
  uint64_t layout_hash = 0;
  bool payload_checksum = false;  ///< the sender hashes every payload, the receiver compares
};

/// Who lent a ReceivedSlot: lent_slots.h.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  /// Once for each slot; `number` counts them in the order in which they were lent.
  virtual void release_slot(uint64_t number) noexcept = 0;
};

/// Memory of one slot to write to. Move-only; dropping it unsent makes it free again.
class SendSlot {
 public:
  SendSlot() = default;
  /// `memory`: what the bytes lie in, kept for as long as the slot is.
  SendSlot(std::span<std::byte> bytes, std::shared_ptr<const void> memory, MemoryKind kind = MemoryKind::pinned)
      : bytes_(bytes), memory_(std::move(memory)), kind_(kind) {}
  SendSlot(SendSlot&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), memory_(std::move(other.memory_)), kind_(other.kind_) {}
  SendSlot& operator=(SendSlot&& other) noexcept {
    bytes_ = std::exchange(other.bytes_, {});
    memory_ = std::move(other.memory_);
    kind_ = other.kind_;
    return *this;
  }
  /// Of MemoryKind::device: an address for copies and kernels (device_slots.h), not for the host.
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] MemoryKind memory_kind() const { return kind_; }

 private:
  std::span<std::byte> bytes_;
  std::shared_ptr<const void> memory_;
  MemoryKind kind_ = MemoryKind::pinned;
};

/// Memory of one slot to read from. Move-only; destruction gives the slot back.
class ReceivedSlot {
 public:
  ReceivedSlot() = default;
  /// `owner` keeps what the bytes lie in.
  ReceivedSlot(std::span<std::byte> bytes, std::shared_ptr<SlotOwner> owner, uint64_t number,
               MemoryKind kind = MemoryKind::pinned)
      : bytes_(bytes), owner_(std::move(owner)), number_(number), kind_(kind) {}
  ReceivedSlot(ReceivedSlot&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})),
        owner_(std::move(other.owner_)),
        number_(other.number_),
        kind_(other.kind_) {}
  ReceivedSlot& operator=(ReceivedSlot&& other) noexcept {
    if (this == &other) return *this;
    release();
    bytes_ = std::exchange(other.bytes_, {});
    owner_ = std::move(other.owner_);
    number_ = other.number_;
    kind_ = other.kind_;
    return *this;
  }
  ~ReceivedSlot() { release(); }

  /// As of a SendSlot.
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] MemoryKind memory_kind() const { return kind_; }
  void release() noexcept {
    bytes_ = {};
    if (const auto owner = std::exchange(owner_, nullptr)) owner->release_slot(number_);
  }

 private:
  std::span<std::byte> bytes_;
  std::shared_ptr<SlotOwner> owner_;  // null when it was released or moved from
  uint64_t number_ = 0;
  MemoryKind kind_ = MemoryKind::pinned;
};

class Sender {
 public:
  virtual ~Sender() = default;
  [[nodiscard]] virtual std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) = 0;
  /// Gives the slot away; never blocks.
  [[nodiscard]] virtual ChannelStatus send(SendSlot&& slot) = 0;
  /// Ends the stream and waits until the receiver has released every slot.
  [[nodiscard]] virtual ChannelStatus finish(Deadline deadline) = 0;
};

class Receiver {
 public:
  virtual ~Receiver() = default;
  [[nodiscard]] virtual std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) = 0;
  /// Slots that were sent and not yet received.
  [[nodiscard]] virtual size_t waiting_slots() const = 0;
};

}  // namespace dflash
