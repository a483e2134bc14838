#include "common/channel/shm_channel.h"

#include <sstream>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/channel/channel_handshake.h"
#include "common/channel/shm_ends.h"

namespace dflash {

namespace {

constexpr const char* kKind = "shm";

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
    throw Error(ErrorKind::internal, format("the receiver of a shm channel said '{}'", hello.details.substr(0, 100)));
  }
  return address;
}

}  // namespace

std::unique_ptr<Receiver> make_shm_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  // Made first: if anything below fails, its destructor tells a sender that already has the memory.
  auto receiver = make_or_refuse(bootstrap, [&] {
    check_shape(shape);
    return std::make_unique<ShmReceiver>(ShmRing::create(shape));
  });
  ShmMemory& memory = receiver->ring().memory();
  say_hello(bootstrap, kKind, shape, to_text(memory.address()));
  receiver->watch(watch_peer(hear_hello(bootstrap, deadline)));
  memory.close_door();
  return receiver;
}

std::unique_ptr<Sender> make_shm_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  const ChannelHello hello = hear_hello(bootstrap, deadline);
  auto sender = make_for(bootstrap, hello, kKind, shape, [&] {
    return std::make_unique<ShmSender>(ShmRing::open(address_from(hello), shape), watch_peer(hello));
  });
  say_hello(bootstrap, kKind, shape, "");
  return sender;
}

}  // namespace dflash
