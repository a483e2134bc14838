// channel_handshake: how the two ends of a channel meet, whatever its kind. Strings over the Bootstrap, one each way:
//
//   receiver -> sender   hello    or a refusal
//   sender -> receiver   hello    or a refusal
//
// A hello is "dflash-channel KIND SLOT_BYTES SLOT_COUNT LAYOUT_HASH PAYLOAD_CHECKSUM NODE_ID PID", then what the kind
// adds. A refusal is "refused EXIT_CODE MESSAGE": the end that hears it throws the very same Error.
//
// The sender compares what both believe, so that one of the two decides.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/base/bootstrap.h"
#include "common/base/error.h"
#include "common/base/process.h"
#include "common/channel/channel.h"

namespace dflash {

/// What one end tells the other.
struct ChannelHello {
  std::string kind;
  ChannelShape shape;
  uint64_t node_id = 0;
  pid_t pid = 0;
  std::string details;  ///< the kind's own words
};

/// Tells the peer who this is, from this very process.
void say_hello(Bootstrap& bootstrap, const std::string& kind, const ChannelShape& shape, const std::string& details);
/// The peer's hello, or the Error that it ended with. Error{internal} for any other text.
[[nodiscard]] ChannelHello hear_hello(Bootstrap& bootstrap, Deadline deadline);

/// Error{config} for a shape that no channel can have.
void check_shape(const ChannelShape& shape);
/// Error{config} with both values when the receiver's hello is not of this kind and shape.
void check_same(const ChannelHello& receiver, const std::string& kind, const ChannelShape& sender);

/// Over the peer's process when it is one of this node; else over nobody.
[[nodiscard]] ProcessWatch watch_peer(const ChannelHello& hello);

/// Tells the peer that this end cannot be made, and why.
void refuse(Bootstrap& bootstrap, const Error& error);

/// Makes the own half; if that fails the other end hears why, instead of waiting for its deadline.
template <typename Make>
auto make_or_refuse(Bootstrap& bootstrap, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    refuse(bootstrap, error);
    throw;
  }
}

/// A sender's half, made for the receiver it has heard once both are of the same kind and shape.
template <typename Make>
auto make_for(Bootstrap& bootstrap, const ChannelHello& receiver, const std::string& kind, const ChannelShape& shape,
              Make make) {
  return make_or_refuse(bootstrap, [&] {
    check_shape(shape);
    check_same(receiver, kind, shape);
    return make();
  });
}

}  // namespace dflash
