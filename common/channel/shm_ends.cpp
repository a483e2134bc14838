#include "common/channel/shm_ends.h"

#include <cstring>

#include "common/base/format.h"

namespace dflash {

ShmSender::~ShmSender() {
  ring_.control().sender_gone.store(1);
  sem_post(&ring_.control().filled);
}

bool ShmSender::receiver_gone() {
  closed_ = closed_ || ring_.control().receiver_gone.load() != 0;
  return closed_;
}

std::pair<ChannelStatus, SendSlot> ShmSender::acquire(Deadline deadline) {
  if (finishing_) throw Error(ErrorKind::internal, "a channel's sender may not acquire a slot after finish");
  if (!receiver_gone() && !acquired_) {
    if (!take_token(ring_.control().free, deadline)) return {ChannelStatus::timeout, SendSlot()};
    acquired_ = true;
  }
  // Asked again, because the token may be the one that the receiver left when it went.
  if (receiver_gone()) return {ChannelStatus::closed, SendSlot()};
  return {ChannelStatus::ok, SendSlot(ring_.payload(next_index_))};
}

ChannelStatus ShmSender::send(SendSlot&& slot) {
  const SendSlot taken = std::move(slot);
  if (receiver_gone()) return ChannelStatus::closed;
  if (!acquired_ || taken.bytes().data() != ring_.payload(next_index_).data()) {
    throw Error(ErrorKind::internal, "a channel's sender was given a slot that is not the one it handed out last");
  }
  ring_.header(next_index_) = make_frame_header(next_index_, ring_.shape().layout_hash);
  acquired_ = false;
  ring_.control().sent.store(++next_index_);
  sem_post(&ring_.control().filled);
  return ChannelStatus::ok;
}

ChannelStatus ShmSender::finish(Deadline deadline) {
  RingControl& control = ring_.control();
  if (!std::exchange(finishing_, true)) {
    control.sender_done.store(1);
    sem_post(&control.filled);
  }
  // Every release posts `free`, and so does a receiver that goes: each token is a reason to look again.
  while (control.released.load() != next_index_) {
    if (receiver_gone() && control.released.load() != next_index_) return ChannelStatus::closed;
    if (!take_token(control.free, deadline)) return ChannelStatus::timeout;
  }
  return ChannelStatus::ok;
}

ShmReceiver::~ShmReceiver() {
  ring_.control().receiver_gone.store(1);
  sem_post(&ring_.control().free);
}

std::pair<ChannelStatus, ReceivedSlot> ShmReceiver::receive(Deadline deadline) {
  if (error_) throw Error(*error_);
  if (ended_) return {*ended_, ReceivedSlot()};
  RingControl& control = ring_.control();
  if (!take_token(control.filled, deadline)) return {ChannelStatus::timeout, ReceivedSlot()};
  const uint64_t sent = control.sent.load();
  const uint64_t index = next_index_.load();
  if (index == sent) return {status_of_no_frame(), ReceivedSlot()};
  check_frame(index, sent);
  next_index_.store(index + 1);
  return {ChannelStatus::ok, ReceivedSlot(ring_.payload(index), this)};
}

ChannelStatus ShmReceiver::status_of_no_frame() {
  const RingControl& control = ring_.control();
  if (control.sender_done.load() != 0) {
    ended_ = ChannelStatus::end_of_stream;
  } else if (control.sender_gone.load() != 0) {
    ended_ = ChannelStatus::closed;
  } else {
    fail(format("corrupt control block of a channel: woken for frame {}, which was not sent", next_index_.load()));
  }
  return *ended_;
}

void ShmReceiver::check_frame(uint64_t index, uint64_t sent) {
  if (sent - index > ring_.shape().slot_count) {
    fail(format("corrupt control block of a channel: {} frames sent, {} received, {} slots", sent, index,
                ring_.shape().slot_count));
  }
  const FrameHeader expected = make_frame_header(index, ring_.shape().layout_hash);
  const FrameHeader& found = ring_.header(index);
  if (std::memcmp(&found, &expected, sizeof expected) == 0) return;
  fail(format(
      "corrupt header of frame {} of a channel: it says frame {}, layout hash {:016x}, checksum {:016x}; expected "
      "were layout hash {:016x}, checksum {:016x}",
      index, found.index, found.layout_hash, found.checksum, expected.layout_hash, expected.checksum));
}

void ShmReceiver::fail(const std::string& message) {
  error_.emplace(ErrorKind::internal, message);
  throw Error(*error_);
}

size_t ShmReceiver::waiting_slots() const {
  const uint64_t index = next_index_.load();  // first: `sent` read later can only be more
  return ring_.control().sent.load() - index;
}

void ShmReceiver::release_slot() noexcept {
  ring_.control().released.fetch_add(1);
  sem_post(&ring_.control().free);
}

}  // namespace dflash
