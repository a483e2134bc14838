// The border between a channel's slots and the device layer: a slot that copies and kernels may work on.
//
//   auto [status, slot] = sender.acquire(deadline);
//   Landed<SendLease> filled = ... copy_async or launch on lend(std::move(slot)), then land(deadline) ...
//   sender status = send_landed(sender, std::move(filled));        only what has landed can be sent
//
//   Landed<ReceivedLease> batch = lend(std::move(received_slot));
//   ... copy_async(stream, std::move(batch), std::move(buffer)) ...   the channel gets the slot back when the device is
//                                                                     past it
//
// Threading: as Lease. A sender's slot that is not sent is free again, as a SendSlot is. Leases keep the memory of
// their slots, registration and all, until the device is past it; so they may outlive the channel's end.
#pragma once

#include <span>

#include "common/channel/channel.h"
#include "common/device/lease.h"

namespace dflash {

struct SendSlotBytes {
  SendSlot slot;
  [[nodiscard]] std::span<std::byte> bytes() const { return slot.bytes(); }
  [[nodiscard]] MemoryKind memory_kind() const { return slot.memory_kind(); }
};
struct ReceivedSlotBytes {
  std::span<std::byte> slot;
  MemoryKind kind;
  [[nodiscard]] std::span<std::byte> bytes() const { return slot; }
  [[nodiscard]] MemoryKind memory_kind() const { return kind; }
};
using SendLease = Lease<SendSlotBytes>;
using ReceivedLease = Lease<ReceivedSlotBytes>;

[[nodiscard]] Landed<SendLease> lend(SendSlot&& slot);
[[nodiscard]] Landed<ReceivedLease> lend(ReceivedSlot&& slot);

/// sender.send() of a slot that no device touches any more.
[[nodiscard]] ChannelStatus send_landed(Sender& sender, Landed<SendLease>&& slot);

}  // namespace dflash
