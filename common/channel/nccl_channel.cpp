#include "common/channel/nccl_channel.h"

#include <algorithm>
#include <sstream>

#include "common/base/format.h"
#include "common/channel/channel_handshake.h"
#include "common/channel/nccl_ends.h"

namespace dflash {

namespace {

constexpr const char* kKind = "nccl";
constexpr size_t kMostSendSlots = 2;  // one under way, one being written

void check_checksum(const ChannelShape& shape, const NcclPort& port) {
  if (!shape.payload_checksum || port.settings().slot_memory != MemoryKind::device) return;
  throw Error(ErrorKind::config,
              "a nccl channel whose slots lie on a device has no payload checksums: the host cannot read them");
}

/// What an end adds to its hello: "ADDRESS CHANNEL".
std::string to_text(const NcclPort& port, uint32_t channel) {
  return format("{} {}", port.address(), channel);
}

NcclPeer peer_from(const ChannelHello& hello) {
  std::istringstream words(hello.details);
  NcclPeer peer;
  words >> peer.address >> peer.channel;
  if (words.fail()) {
    throw Error(ErrorKind::internal, format("the other end of a nccl channel said '{}'", hello.details.substr(0, 100)));
  }
  peer.process = watch_peer(hello);
  return peer;
}

template <typename Link>
std::shared_ptr<Link> make_link(NcclPort& port, const ChannelShape& shape, size_t slots) {
  return std::make_shared<Link>(port, shape, port.make_slots(shape, slots));
}

/// The last thing to be made: both ends know by now that the other one is there.
void connect(NcclPort& port, NcclLink& link, NcclPeer peer, Bootstrap& bootstrap, bool makes_id, Deadline deadline) {
  peer.transport = port.make_transport(bootstrap, peer.address, makes_id, deadline);
  const auto lock = port.lock();
  link.connect(std::move(peer));
}

}  // namespace

std::unique_ptr<Receiver> make_nccl_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                             NcclPort& port) {
  auto link = make_or_refuse(bootstrap, [&] {
    check_shape(shape);
    check_checksum(shape, port);
    return make_link<NcclReceiveLink>(port, shape, shape.slot_count);
  });
  const uint32_t channel = port.add(link);
  auto receiver = std::make_unique<NcclReceiver>(port, link);
  say_hello(bootstrap, kKind, shape, to_text(port, channel));
  connect(port, *link, peer_from(hear_hello(bootstrap, deadline)), bootstrap, /*makes_id=*/true, deadline);
  return receiver;
}

std::unique_ptr<Sender> make_nccl_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                         NcclPort& port) {
  const ChannelHello hello = hear_hello(bootstrap, deadline);
  auto link = make_for(bootstrap, hello, kKind, shape, [&] {
    check_checksum(shape, port);
    return make_link<NcclSendLink>(port, shape, std::min(shape.slot_count, kMostSendSlots));
  });
  const uint32_t channel = port.add(link);
  auto sender = std::make_unique<NcclSender>(port, link);
  say_hello(bootstrap, kKind, shape, to_text(port, channel));
  connect(port, *link, peer_from(hello), bootstrap, /*makes_id=*/false, deadline);
  return sender;
}

}  // namespace dflash
