#include "common/channel/shm_ends.h"

#include <cstring>
#include <thread>

#include "common/base/format.h"
#include "common/channel/watched_wait.h"
#include "common/device/test_faults.h"

namespace dflash {

namespace {

Waited wait_for_token(TokenTaker& tokens, const ProcessWatch& peer, Deadline deadline) {
  return watched_wait(peer, deadline, [&](Deadline until) { return tokens.take(until); });
}

}  // namespace

ShmSender::~ShmSender() {
  ring_->control().sender_gone.store(1);
  sem_post(&ring_->control().filled);
}

bool ShmSender::closed_by_receiver() {
  if (!ended_ && ring_->control().receiver_gone.load() != 0) ended_ = ChannelStatus::closed;
  return ended_.has_value();
}

std::optional<ChannelStatus> ShmSender::receiver_left() const {
  const auto gone = [this] { return ring_->control().receiver_gone.load() != 0; };
  if (!gone() && !peer_.ended()) return std::nullopt;
  return gone() ? ChannelStatus::closed : ChannelStatus::peer_lost;  // asked again: it may have gone between the looks
}

std::pair<ChannelStatus, SendSlot> ShmSender::acquire(Deadline deadline) {
  if (finishing_) throw Error(ErrorKind::internal, "a channel's sender may not acquire a slot after finish");
  if (closed_by_receiver()) return {*ended_, SendSlot()};
  if (!acquired_) {
    const Waited waited = wait_for_token(free_, peer_, deadline);
    if (waited == Waited::timeout) return {ChannelStatus::timeout, SendSlot()};
    // Asked again: the token may be the one that the receiver left when it went.
    if (closed_by_receiver()) return {*ended_, SendSlot()};
    if (waited == Waited::peer_ended) return {*(ended_ = ChannelStatus::peer_lost), SendSlot()};
    acquired_ = true;
  }
  if (!ring_->shape().payload_checksum) write_header({});
  return {ChannelStatus::ok, SendSlot(ring_->payload(next_index_), ring_)};
}

void ShmSender::write_header(std::span<const std::byte> payload) {
  ring_->header(next_index_) = make_frame_header(next_index_, ring_->shape(), payload);
}

ChannelStatus ShmSender::send(SendSlot&& slot) {
  const SendSlot taken = std::move(slot);
  if (closed_by_receiver()) return *ended_;
  if (!acquired_ || taken.bytes().data() != ring_->payload(next_index_).data()) {
    throw Error(ErrorKind::internal, "a channel's sender was given a slot that is not the one it handed out last");
  }
  const auto publish = [this] {
    ring_->control().sent.store(next_index_ + 1);
    sem_post(&ring_->control().filled);
  };
  const bool too_early = has_fault(DeviceFault::publish_before_checksum);
  if (too_early) {
    publish();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the receiver has looked meanwhile
  }
  if (ring_->shape().payload_checksum) write_header(taken.bytes());
  if (!too_early) publish();
  acquired_ = false;
  ++next_index_;
  // Asked last, so that a receiver that waits need not wait for the answer. One that has left in order meanwhile may
  // have got the frame.
  if (receiver_left() != ChannelStatus::peer_lost) return ChannelStatus::ok;
  return *(ended_ = ChannelStatus::peer_lost);
}

ChannelStatus ShmSender::finish(Deadline deadline) {
  if (ended_) return *ended_;
  RingControl& control = ring_->control();
  if (!std::exchange(finishing_, true)) {
    control.sender_done.store(1);
    sem_post(&control.filled);
  }
  // Every release posts `free`, and so does a receiver that goes: each token is a reason to look again.
  while (control.released.load() != next_index_) {
    const std::optional<ChannelStatus> left = receiver_left();
    if (control.released.load() == next_index_) break;  // it released the last slot before it left
    if (left) return *(ended_ = left);
    if (wait_for_token(free_, peer_, deadline) == Waited::timeout) return ChannelStatus::timeout;
  }
  return ChannelStatus::ok;
}

ShmReceiver::ShmReceiver(std::shared_ptr<ShmRing> ring)
    : ring_(std::move(ring)), filled_(ring_->control().filled), lent_(ring_, [&control = ring_->control()] {
        control.released.fetch_add(1);
        sem_post(&control.free);
      }) {}

ShmReceiver::~ShmReceiver() {
  ring_->control().receiver_gone.store(1);
  sem_post(&ring_->control().free);
}

std::pair<ChannelStatus, ReceivedSlot> ShmReceiver::receive(Deadline deadline) {
  if (error_) throw Error(*error_);
  if (ended_) return {*ended_, ReceivedSlot()};
  try {
    return receive_frame(deadline);
  } catch (const Error& error) {
    error_ = error;
    throw;
  }
}

std::pair<ChannelStatus, ReceivedSlot> ShmReceiver::receive_frame(Deadline deadline) {
  const RingControl& control = ring_->control();
  const uint64_t index = next_index_.load();
  const bool has_checksum = ring_->shape().payload_checksum;
  // Made now, while there is time.
  const FrameHeader expected = has_checksum ? FrameHeader{} : make_frame_header(index, ring_->shape(), {});
  const Waited waited = wait_for_token(filled_, peer_, deadline);
  if (waited == Waited::timeout) return {ChannelStatus::timeout, ReceivedSlot()};
  const uint64_t sent = control.sent.load();
  if (index == sent) {
    ended_ = status_of_no_frame(index);
    return {*ended_, ReceivedSlot()};
  }
  if (sent - index > ring_->shape().slot_count) {
    throw Error(ErrorKind::internal, format("corrupt control block of a channel: {} frames sent, {} received, {} slots",
                                            sent, index, ring_->shape().slot_count));
  }
  const FrameHeader& found = ring_->header(index);
  if (has_checksum || std::memcmp(&found, &expected, sizeof found) != 0) {
    check_frame(found, index, ring_->shape(), ring_->payload(index));
  }
  next_index_.store(index + 1);
  return {ChannelStatus::ok, lent_.lend(ring_->payload(index))};
}

ChannelStatus ShmReceiver::status_of_no_frame(uint64_t index) const {
  const RingControl& control = ring_->control();
  const bool dead = peer_.ended();  // asked first: what it left in order before its end is then seen below
  if (control.sender_done.load() != 0) return ChannelStatus::end_of_stream;
  if (control.sender_gone.load() != 0) return ChannelStatus::closed;
  if (dead) return ChannelStatus::peer_lost;
  throw Error(ErrorKind::internal,
              format("corrupt control block of a channel: woken for frame {}, which was not sent", index));
}

size_t ShmReceiver::waiting_slots() const {
  const uint64_t index = next_index_.load();  // first: `sent` read later can only be more
  return ring_->control().sent.load() - index;
}

}  // namespace dflash
