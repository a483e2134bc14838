// The pinned_host channel: the ring of kind shm, registered once with the device of each end, for batches that live on
// devices.
//
//   target   device -> slot   copy_async(copies, std::move(packed), lend(std::move(slot))).land(deadline), then
//                             send_landed: a slot is sent when its fence has passed            (device_slots.h)
//   drafter  slot -> device   copy_async(copy_in, lend(std::move(slot)), std::move(buffer)): the slot is free again
//   when
//                             the device has read it
//
// The bytes cross the host once and the processes never: both devices copy from and to the same memory. The
// registration ends with the last slot that is out, so also leases that wait in the device room keep it.
//
// Limits: one node. What is registered cannot be paged out; on a GPU that counts against the limit of locked memory.
#pragma once

#include <memory>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"
#include "common/device/device.h"

namespace dflash {

/// As make_shm_receiver and make_shm_sender; also Error{no_space} when the memory cannot be locked. Channels and slots
/// may outlive `device`.
[[nodiscard]] std::unique_ptr<Receiver> make_pinned_host_receiver(const ChannelShape& shape, Bootstrap& bootstrap,
                                                                  Deadline deadline, Device& device);
[[nodiscard]] std::unique_ptr<Sender> make_pinned_host_sender(const ChannelShape& shape, Bootstrap& bootstrap,
                                                              Deadline deadline, Device& device);

}  // namespace dflash
