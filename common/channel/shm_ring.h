// ShmRing: what lies in the shared memory of a channel, and who may touch which part when.
//
//   RingControl | FrameHeader 0, payload 0 | FrameHeader 1, payload 1 | ...     every part begins at a multiple of 64
//
// Frame i (0, 1, 2, ...) lives in slot i mod slot_count. The sender writes header and payload, raises `sent`, posts
// `filled`; the receiver waits for `filled`, reads, raises `released`, posts `free`. An end that leaves raises its flag
// and posts the other's semaphore once more: whoever wakes looks at the counts first, then at the flags.
//
// Threading: the semaphores order everything; the counts are atomic because a glance (how full?) takes no token.
// Owns: the memory, and its registration with a device, if it has one.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/channel/channel.h"
#include "common/channel/frame_header.h"
#include "common/channel/shm_memory.h"
#include "common/device/device.h"

namespace dflash {

/// What one end writes and what the other writes lie in lines of cache of their own.
struct RingControl {
  uint64_t magic;

  alignas(64) std::atomic<uint64_t> sent;  // frames; raised by the sender only
  std::atomic<uint32_t> sender_done;
  std::atomic<uint32_t> sender_gone;
  sem_t filled;

  alignas(64) std::atomic<uint64_t> released;  // frames; raised by the receiver only
  std::atomic<uint32_t> receiver_gone;
  sem_t free;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

class ShmRing {
 public:
  /// The receiver's: makes the memory. Error{no_space}.
  [[nodiscard]] static ShmRing create(const ChannelShape& shape);
  /// The sender's, of the same shape. Error{config} when the memory holds no such ring.
  [[nodiscard]] static ShmRing open(const ShmAddress& address, const ChannelShape& shape);

  [[nodiscard]] RingControl& control() const { return *reinterpret_cast<RingControl*>(memory_.data()); }
  [[nodiscard]] FrameHeader& header(uint64_t index) const;
  [[nodiscard]] std::span<std::byte> payload(uint64_t index) const;
  [[nodiscard]] const ChannelShape& shape() const { return shape_; }
  [[nodiscard]] ShmMemory& memory() { return memory_; }
  /// The whole of it, once, so that the device copies from and to the slots as from and to pinned memory of its own.
  /// Error{no_space} when it cannot be locked.
  void register_with(Device& device) { registered_ = device.register_host({memory_.data(), memory_.size_bytes()}); }

 private:
  ShmRing(ShmMemory memory, const ChannelShape& shape) : memory_(std::move(memory)), shape_(shape) {}

  ShmMemory memory_;
  RegisteredMemory registered_;  // behind the memory, so gone before it
  ChannelShape shape_;
};

}  // namespace dflash
