#include "common/channel/ring_meeting.h"

#include <sstream>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/channel/channel_handshake.h"
#include "common/channel/shm_ends.h"

namespace dflash {

namespace {

/// What the receiver adds to its hello: "HOST BOOT_ID FD INODE TOTAL_BYTES".
std::string to_text(const ShmAddress& address) {
  return format("{} {} {} {} {}", address.host, address.boot_id, address.fd, address.inode, address.total_bytes);
}

ShmAddress address_from(const ChannelHello& hello) {
  std::istringstream words(hello.details);
  ShmAddress address;
  address.pid = hello.pid;
  words >> address.host >> address.boot_id >> address.fd >> address.inode >> address.total_bytes;
  if (words.fail()) {
    throw Error(ErrorKind::internal,
                format("the receiver of a {} channel said '{}'", hello.kind, hello.details.substr(0, 100)));
  }
  return address;
}

std::shared_ptr<ShmRing> registered(ShmRing ring, Device* device) {
  auto shared = std::make_shared<ShmRing>(std::move(ring));
  if (device != nullptr) shared->register_with(*device);
  return shared;
}

}  // namespace

std::unique_ptr<Receiver> meet_as_receiver(const std::string& kind, const ChannelShape& shape, Bootstrap& bootstrap,
                                           Deadline deadline, Device* device) {
  // Made first: if anything below fails, its destructor tells a sender that already has the memory.
  auto receiver = make_or_refuse(bootstrap, [&] {
    check_shape(shape);
    return std::make_unique<ShmReceiver>(registered(ShmRing::create(shape), device));
  });
  ShmMemory& memory = receiver->ring().memory();
  say_hello(bootstrap, kind, shape, to_text(memory.address()));
  receiver->watch(watch_peer(hear_hello(bootstrap, deadline)));
  memory.close_door();
  return receiver;
}

std::unique_ptr<Sender> meet_as_sender(const std::string& kind, const ChannelShape& shape, Bootstrap& bootstrap,
                                       Deadline deadline, Device* device) {
  const ChannelHello hello = hear_hello(bootstrap, deadline);
  auto sender = make_for(bootstrap, hello, kind, shape, [&] {
    return std::make_unique<ShmSender>(registered(ShmRing::open(address_from(hello), shape), device),
                                       watch_peer(hello));
  });
  say_hello(bootstrap, kind, shape, "");
  return sender;
}

}  // namespace dflash
