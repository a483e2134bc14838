#include "common/channel/pinned_host_channel.h"

#include "common/channel/ring_meeting.h"

namespace dflash {

namespace {

constexpr const char* kKind = "pinned_host";

}  // namespace

std::unique_ptr<Receiver> make_pinned_host_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                                    Device& device) {
  return meet_as_receiver(kKind, shape, bootstrap, deadline, &device);
}

std::unique_ptr<Sender> make_pinned_host_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                                Device& device) {
  return meet_as_sender(kKind, shape, bootstrap, deadline, &device);
}

}  // namespace dflash
