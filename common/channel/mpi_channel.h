// The mpi channel: frames between any two ranks, in host memory of each; as MPI messages on a communicator of their
// own.
//
// Every slot is a persistent request at both ends. A free slot is a receive that is posted; the receiver tells the
// sender of each, so that a sender without credit waits and nothing piles up in MPI.
//
// Limits: costs slot_count slots at the receiver and up to two more at the sender. A large frame is under way while
// both sides call MPI, on any thread. An end that is destroyed while a frame is under way leaves that memory to MPI.
#pragma once

#include <memory>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"
#include "common/mpi/own_comm.h"

namespace dflash {

/// Both ends must be called, each with a Bootstrap to the other, the same communicator and the other's rank there.
/// Error{config} when the ends differ (both values named), {no_space} when memory does not suffice, {stall}.
[[nodiscard]] std::unique_ptr<Receiver> make_mpi_receiver(const ChannelShape& shape, Bootstrap& bootstrap,
                                                          Deadline deadline, OwnComm& comm, int peer_rank);
[[nodiscard]] std::unique_ptr<Sender> make_mpi_sender(const ChannelShape& shape, Bootstrap& bootstrap,
                                                      Deadline deadline, OwnComm& comm, int peer_rank);

}  // namespace dflash
