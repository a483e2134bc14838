#include "common/channel/channel_kind.h"

#include "common/base/error.h"
#include "common/channel/file_channel.h"
#include "common/channel/mpi_channel.h"
#include "common/channel/nccl_channel.h"
#include "common/channel/pinned_host_channel.h"
#include "common/channel/shm_channel.h"

namespace dflash {

namespace {

[[noreturn]] void throw_no_such_kind() {
  throw Error(ErrorKind::internal, "there is no such kind of channel");
}

Device& device_of(const ChannelPeer& peer) {
  if (peer.device != nullptr) return *peer.device;
  throw Error(ErrorKind::internal, "a pinned_host channel is to be made without a device to register its slots with");
}

NcclPort& port_of(const ChannelPeer& peer) {
  if (peer.port != nullptr) return *peer.port;
  throw Error(ErrorKind::internal, "a nccl channel is to be made in a process that has no port for such channels");
}

}  // namespace

const char* channel_kind_name(ChannelKind kind) {
  switch (kind) {
    case ChannelKind::shm:
      return "shm";
    case ChannelKind::pinned_host:
      return "pinned_host";
    case ChannelKind::nccl:
      return "nccl";
    case ChannelKind::mpi:
      return "mpi";
    case ChannelKind::file:
      return "file";
  }
  throw_no_such_kind();
}

std::unique_ptr<Sender> make_sender(ChannelKind kind, const ChannelShape& shape, const ChannelPeer& peer,
                                    Deadline deadline) {
  switch (kind) {
    case ChannelKind::shm:
      return make_shm_sender(shape, peer.bootstrap, deadline);
    case ChannelKind::pinned_host:
      return make_pinned_host_sender(shape, peer.bootstrap, deadline, device_of(peer));
    case ChannelKind::nccl:
      return make_nccl_sender(shape, peer.bootstrap, deadline, port_of(peer));
    case ChannelKind::mpi:
      return make_mpi_sender(shape, peer.bootstrap, deadline, peer.comm, peer.rank);
    case ChannelKind::file:
      return make_file_sender(shape, peer.bootstrap, deadline);
  }
  throw_no_such_kind();
}

std::unique_ptr<Receiver> make_receiver(ChannelKind kind, const ChannelShape& shape, const ChannelPeer& peer,
                                        Deadline deadline) {
  switch (kind) {
    case ChannelKind::shm:
      return make_shm_receiver(shape, peer.bootstrap, deadline);
    case ChannelKind::pinned_host:
      return make_pinned_host_receiver(shape, peer.bootstrap, deadline, device_of(peer));
    case ChannelKind::nccl:
      return make_nccl_receiver(shape, peer.bootstrap, deadline, port_of(peer));
    case ChannelKind::mpi:
      return make_mpi_receiver(shape, peer.bootstrap, deadline, peer.comm, peer.rank);
    case ChannelKind::file:
      return make_file_receiver(shape, peer.bootstrap, deadline, peer.folder);
  }
  throw_no_such_kind();
}

}  // namespace dflash
