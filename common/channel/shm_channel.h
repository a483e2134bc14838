// The shm channel: a ring of slots in unnamed shared memory between two processes of one node.
//
// The receiver makes the ring (memfd, so that nothing is left behind however the processes die) and tells the sender
// over the Bootstrap where it is; the sender opens it through /proc/PID/fd and checks magic, version, shape and layout
// hash. Two process-shared semaphores count the free and the filled slots. The consumer reads in place.
#pragma once

#include <memory>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"

namespace dflash {

/// Both ends must be called, each with a Bootstrap to the other, in any order. Error{config} when the peer is on
/// another node or its shape or layout hash differ (both values named), {no_space} when shared memory does not suffice,
/// {stall}.
[[nodiscard]] std::unique_ptr<Receiver> make_shm_receiver(const ChannelShape& shape, Bootstrap& bootstrap,
                                                          Deadline deadline);
[[nodiscard]] std::unique_ptr<Sender> make_shm_sender(const ChannelShape& shape, Bootstrap& bootstrap,
                                                      Deadline deadline);

}  // namespace dflash
