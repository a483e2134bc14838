// The nccl channel: frames between two devices, each a send at one end and a receive at the other on the one
// communication stream of its process. What keeps these from waiting for each other: nccl_port.h.
//
// Slots lie in memory of the device at both ends: slot_count at the receiver, up to two at the sender. Their bytes()
// are addresses for copies and kernels (device_slots.h), unless the port's slots are pinned.
//
// Limits: payload checksums want slots that the host can read. A process that dies is noticed at once on one node, else
// when the transport says so or the port's patience ends.
#pragma once

#include <memory>

#include "common/base/bootstrap.h"
#include "common/channel/nccl_port.h"

namespace dflash {

/// Both ends must be called, each with a Bootstrap to the other, in any order. `port` must outlive the end. Error
/// {config} when the ends differ (both values named) or a checksum is asked for of slots on a device, {no_space} when
/// memory does not suffice, {stall}; what the transport cannot be made with.
[[nodiscard]] std::unique_ptr<Receiver> make_nccl_receiver(const ChannelShape& shape, Bootstrap& bootstrap,
                                                           Deadline deadline, NcclPort& port);
[[nodiscard]] std::unique_ptr<Sender> make_nccl_sender(const ChannelShape& shape, Bootstrap& bootstrap,
                                                       Deadline deadline, NcclPort& port);

}  // namespace dflash
