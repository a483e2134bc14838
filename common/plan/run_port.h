// The port of a worker's nccl links (common/channel/nccl_port.h): one communication thread and one stream, and for each
// of these links a communicator between its two ranks, so that a peer that is lost takes no other link with it.
//
//   const auto port = make_run_port(config, roles, messages, device, place);   a worker: behind its device
//   const ChannelPeer peer{..., .port = port.get()};                           its channels: they end before it
//
// Slots lie in pinned memory of the worker's device: the host reads headers, ids and checksums where they are, as with
// every other kind, and NCCL reads and writes them there. Slots in the memory of the GPU are left for later.
//
// A frame that takes longer than run.stall_timeout_s from go to its end is an Error{stall} that names the peer.
//
// Threading: one thread. Owns: nothing.
#pragma once

#include <memory>

#include "common/channel/nccl_port.h"
#include "common/mpi/byte_link.h"
#include "common/mpi/role_map.h"
#include "common/plan/run_device.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Communicators of two ranks, over NCCL, whose errors name the peer. `roles` must outlive it.
[[nodiscard]] MakeTransport nccl_transports(const RoleMap& roles, int cuda_ordinal);

/// Null where no link of this rank is nccl. `messages` and `device` must outlive it. Errors as check_links
/// (link_check.h) and check_nccl_library, whose line is logged.
[[nodiscard]] std::unique_ptr<NcclPort> make_run_port(const RunConfig& config, const RoleMap& roles, ByteLink& messages,
                                                      Device& device, const RunPlace& place);
/// The same over any transport; checks nothing.
[[nodiscard]] std::unique_ptr<NcclPort> make_run_port(const RunConfig& config, const RoleMap& roles, ByteLink& messages,
                                                      Device& device, MakeTransport make_transport);

}  // namespace dflash
