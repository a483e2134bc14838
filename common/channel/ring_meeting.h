// ring_meeting: how the two ends of a channel find the same ring, for the kinds that have one: shm and pinned_host.
//
// The receiver makes it and tells the sender, in what it adds to its hello, where it lies. Each end registers its own
// mapping of it when a device is given.
#pragma once

#include <memory>
#include <string>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"
#include "common/device/device.h"

namespace dflash {

/// Both ends must be called, in any order. `device`: the ring is registered with it; none: null. Error{config} when the
/// ends are of another kind or shape, or on different nodes, {no_space} when there is no shared memory or it cannot be
/// locked, {stall}.
[[nodiscard]] std::unique_ptr<Receiver> meet_as_receiver(const std::string& kind, const ChannelShape& shape,
                                                         Bootstrap& bootstrap, Deadline deadline, Device* device);
[[nodiscard]] std::unique_ptr<Sender> meet_as_sender(const std::string& kind, const ChannelShape& shape,
                                                     Bootstrap& bootstrap, Deadline deadline, Device* device);

}  // namespace dflash
