// How the two ends meet. Strings over the Bootstrap, one each way:
//   receiver -> sender   "shm1 HOST BOOT_ID PID FD INODE TOTAL_BYTES"   or a refusal
//   sender -> receiver   "ok"                                           or a refusal
// where a refusal is "refused EXIT_CODE MESSAGE": the other end throws the very same Error.
#include "common/channel/shm_channel.h"

#include <sstream>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/channel/shm_ends.h"

namespace dflash {

namespace {

constexpr const char* kGreeting = "shm1";

std::string to_text(const ShmAddress& address) {
  return format("{} {} {} {} {} {} {}", kGreeting, address.host, address.boot_id, address.pid, address.fd,
                address.inode, address.total_bytes);
}

ShmAddress address_from(const std::string& text) {
  std::istringstream words(text);
  std::string greeting;
  ShmAddress address;
  words >> greeting >> address.host >> address.boot_id >> address.pid >> address.fd >> address.inode >>
      address.total_bytes;
  if (words.fail() || greeting != kGreeting) {
    throw Error(ErrorKind::internal, format("the other end of a shm channel said '{}'", text.substr(0, 100)));
  }
  return address;
}

/// Makes the own half; if that fails the other end hears why, instead of waiting for its deadline.
template <typename Make>
ShmRing make_or_refuse(Bootstrap& bootstrap, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    bootstrap.send(format("refused {} {}", exit_code(error.kind()), error.what()));
    throw;
  }
}

/// The peer's string, or the Error that it ended with.
std::string receive_or_throw(Bootstrap& bootstrap, Deadline deadline) {
  std::string text = bootstrap.receive(deadline);
  std::istringstream words(text);
  std::string first;
  int code = 0;
  if (words >> first >> code && first == "refused") {
    std::string message;
    std::getline(words >> std::ws, message);
    throw Error(error_kind_of(code), message);
  }
  return text;
}

}  // namespace

std::unique_ptr<Receiver> make_shm_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  // Made first: if anything below fails, its destructor tells a sender that already has the memory.
  auto receiver = std::make_unique<ShmReceiver>(make_or_refuse(bootstrap, [&] { return ShmRing::create(shape); }));
  ShmMemory& memory = receiver->ring().memory();
  bootstrap.send(to_text(memory.address()));
  const std::string answer = receive_or_throw(bootstrap, deadline);
  if (answer != "ok")
    throw Error(ErrorKind::internal, format("the sender of a shm channel said '{}'", answer.substr(0, 100)));
  memory.close_door();
  return receiver;
}

std::unique_ptr<Sender> make_shm_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  const std::string greeting = receive_or_throw(bootstrap, deadline);
  auto sender = std::make_unique<ShmSender>(
      make_or_refuse(bootstrap, [&] { return ShmRing::open(address_from(greeting), shape); }));
  bootstrap.send("ok");
  return sender;
}

}  // namespace dflash
