#include "common/channel/channel_handshake.h"

#include <unistd.h>

#include <sstream>

#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {

namespace {

constexpr const char* kGreeting = "dflash-channel";
constexpr size_t kMostSlotBytes = size_t{1} << 40;
constexpr size_t kMostSlots = size_t{1} << 20;

const char* on_off(bool on) {
  return on ? "on" : "off";
}

void check_equal(const char* what, const std::string& receiver, const std::string& sender) {
  if (receiver == sender) return;
  throw Error(ErrorKind::config,
              format("the ends of a channel differ: {} is {} at the receiver, {} at the sender; both "
                     "must run with the same settings and build",
                     what, receiver, sender));
}

void throw_if_refusal(const std::string& text) {
  std::istringstream words(text);
  std::string first;
  int code = 0;
  if (!(words >> first >> code) || first != "refused") return;
  std::string message;
  std::getline(words >> std::ws, message);
  throw Error(error_kind_of(code), message);
}

}  // namespace

void say_hello(Bootstrap& bootstrap, const std::string& kind, const ChannelShape& shape, const std::string& details) {
  bootstrap.send(format("{} {} {} {} {} {} {} {} {}", kGreeting, kind, shape.slot_bytes, shape.slot_count,
                        shape.layout_hash, shape.payload_checksum ? 1 : 0, own_node_id(), getpid(), details));
}

ChannelHello hear_hello(Bootstrap& bootstrap, Deadline deadline) {
  const std::string text = bootstrap.receive(deadline);
  throw_if_refusal(text);
  std::istringstream words(text);
  std::string greeting;
  ChannelHello hello;
  ChannelShape& shape = hello.shape;
  words >> greeting >> hello.kind >> shape.slot_bytes >> shape.slot_count >> shape.layout_hash >>
      shape.payload_checksum >> hello.node_id >> hello.pid;
  if (words.fail() || greeting != kGreeting) {
    throw Error(ErrorKind::internal, format("the other end of a channel said '{}'", text.substr(0, 100)));
  }
  std::getline(words >> std::ws, hello.details);
  return hello;
}

void check_shape(const ChannelShape& shape) {
  if (shape.slot_bytes >= 1 && shape.slot_bytes <= kMostSlotBytes && shape.slot_count >= 1 &&
      shape.slot_count <= kMostSlots) {
    return;
  }
  throw Error(ErrorKind::config, format("a channel of {} slots of {} bytes cannot be: 1 to {} slots of 1 to {} bytes",
                                        shape.slot_count, shape.slot_bytes, kMostSlots, kMostSlotBytes));
}

void check_same(const ChannelHello& receiver, const std::string& kind, const ChannelShape& sender) {
  const ChannelShape& there = receiver.shape;
  check_equal("the kind", receiver.kind, kind);
  check_equal("slot_bytes", std::to_string(there.slot_bytes), std::to_string(sender.slot_bytes));
  check_equal("slot_count", std::to_string(there.slot_count), std::to_string(sender.slot_count));
  check_equal("the layout hash", hash_hex(there.layout_hash), hash_hex(sender.layout_hash));
  check_equal("the payload checksum", on_off(there.payload_checksum), on_off(sender.payload_checksum));
}

ProcessWatch watch_peer(const ChannelHello& hello) {
  return hello.node_id == own_node_id() ? ProcessWatch(hello.pid) : ProcessWatch();
}

void refuse(Bootstrap& bootstrap, const Error& error) {
  bootstrap.send(format("refused {} {}", exit_code(error.kind()), error.what()));
}

}  // namespace dflash
