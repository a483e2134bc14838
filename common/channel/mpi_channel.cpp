#include "common/channel/mpi_channel.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "common/base/format.h"
#include "common/channel/channel_handshake.h"
#include "common/channel/mpi_ends.h"

namespace dflash {

namespace {

constexpr const char* kKind = "mpi";
constexpr size_t kMostSendSlots = 2;  // one under way, one being written

/// The tags on which one end awaits messages; the other end is told. New for every channel.
struct InTags {
  int frames = -1;  // the receiver's only
  int notices = -1;
};

std::string to_text(const InTags& tags) {
  return format("{} {}", tags.frames, tags.notices);
}

InTags tags_from(const ChannelHello& hello) {
  std::istringstream words(hello.details);
  InTags tags;
  words >> tags.frames >> tags.notices;
  if (words.fail()) {
    throw Error(ErrorKind::internal, format("the other end of an mpi channel said '{}'", hello.details.substr(0, 100)));
  }
  return tags;
}

MpiSlots make_slots(const ChannelShape& shape, size_t count, const MpiRoute& route, MpiSlots::MakeTransfer make) {
  return {shape, count, make_frames(shape, count), route, make};
}

}  // namespace

std::unique_ptr<Receiver> make_mpi_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                            OwnComm& comm, int peer_rank) {
  const InTags own{comm.take_tag(), comm.take_tag()};
  MpiSlots slots = make_or_refuse(bootstrap, [&] {
    check_shape(shape);
    return make_slots(shape, shape.slot_count, {comm, peer_rank, own.frames}, PersistentTransfer::from);
  });
  for (size_t slot = 0; slot < shape.slot_count; ++slot) slots.transfer(slot).start();
  say_hello(bootstrap, kKind, shape, to_text(own));
  const ChannelHello hello = hear_hello(bootstrap, deadline);
  MpiNotices notices({comm, peer_rank, own.notices}, {comm, peer_rank, tags_from(hello).notices},
                     shape.slot_count + 1);  // a credit per slot, and the last notice
  return std::make_unique<MpiReceiver>(std::move(slots), std::move(notices), watch_peer(hello));
}

std::unique_ptr<Sender> make_mpi_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                        OwnComm& comm, int peer_rank) {
  const InTags own{-1, comm.take_tag()};
  const ChannelHello hello = hear_hello(bootstrap, deadline);
  auto sender = make_for(bootstrap, hello, kKind, shape, [&] {
    const InTags there = tags_from(hello);
    const size_t send_slots = std::min(shape.slot_count, kMostSendSlots);
    MpiNotices notices({comm, peer_rank, own.notices}, {comm, peer_rank, there.notices}, 2);  // done, and gone
    return std::make_unique<MpiSender>(
        make_slots(shape, send_slots, {comm, peer_rank, there.frames}, PersistentTransfer::to), std::move(notices),
        watch_peer(hello));
  });
  say_hello(bootstrap, kKind, shape, to_text(own));
  return sender;
}

}  // namespace dflash
