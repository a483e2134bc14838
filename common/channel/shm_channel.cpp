#include "common/channel/shm_channel.h"

#include "common/channel/ring_meeting.h"

namespace dflash {

namespace {

constexpr const char* kKind = "shm";

}  // namespace

std::unique_ptr<Receiver> make_shm_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  return meet_as_receiver(kKind, shape, bootstrap, deadline, nullptr);
}

std::unique_ptr<Sender> make_shm_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  return meet_as_sender(kKind, shape, bootstrap, deadline, nullptr);
}

}  // namespace dflash
