// The kinds of channel, and the one place that makes an end of any kind.
#pragma once

#include <filesystem>
#include <memory>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"
#include "common/channel/nccl_port.h"
#include "common/device/device.h"
#include "common/mpi/own_comm.h"

namespace dflash {

enum class ChannelKind {
  shm,          ///< processes of one node: shm_channel.h
  pinned_host,  ///< processes of one node whose batches live on devices: pinned_host_channel.h
  nccl,         ///< any two devices: nccl_channel.h
  mpi,          ///< any two ranks: mpi_channel.h
  file,         ///< a folder between processes of one node: file_channel.h
};

/// As it stands in settings and logs.
[[nodiscard]] const char* channel_kind_name(ChannelKind kind);

/// The process at the other end, and what the kinds need at this one.
struct ChannelPeer {
  Bootstrap& bootstrap;
  OwnComm& comm;                      ///< the same communicator at both ends; used by kind mpi
  int rank;                           ///< in that communicator
  std::filesystem::path folder = {};  ///< kind file, the receiver's
  Device* device = nullptr;           ///< kind pinned_host: where this end's batches live
  NcclPort* port = nullptr;           ///< kind nccl: of this process
};

/// Both ends must be called, in any order. Errors: shm_channel.h, pinned_host_channel.h, nccl_channel.h, mpi_channel.h,
/// file_channel.h; {internal} when the peer lacks what the kind needs.
[[nodiscard]] std::unique_ptr<Sender> make_sender(ChannelKind kind, const ChannelShape& shape, const ChannelPeer& peer,
                                                  Deadline deadline);
[[nodiscard]] std::unique_ptr<Receiver> make_receiver(ChannelKind kind, const ChannelShape& shape,
                                                      const ChannelPeer& peer, Deadline deadline);

}  // namespace dflash
