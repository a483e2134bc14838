#include "common/channel/mpi_ends.h"

#include <chrono>

#include "common/channel/watched_wait.h"
#include "common/mpi/mpi_call.h"

namespace dflash {

namespace {

// A sleep with its look costs up to 60 us of a core: few enough of them for a blocked end to stay under 1 %.
constexpr std::chrono::milliseconds kLongestPause{16};

template <typename Ready>
Waited wait_for(const ProcessWatch& peer, Deadline deadline, Ready ready) {
  GrowingPause pause(kLongestPause);
  return watched_wait(peer, deadline, [&](Deadline until) { return poll_until(until, ready, pause); });
}

}  // namespace

MpiSender::~MpiSender() {
  notices_.tell_last({.frames = next_index_, .done = finishing_, .gone = 1});
}

/// There is credit, and the last frame in the own slot has left.
bool MpiSender::may_write() {
  return next_index_ - notices_.peer().frames < slots_.shape().slot_count && slots_.transfer(next_index_).done();
}

std::optional<ChannelStatus> MpiSender::receiver_left() {
  if (notices_.peer().gone != 0) return ChannelStatus::closed;
  if (!peer_.ended()) return std::nullopt;
  // It may have gone in order between the two looks.
  return notices_.peer().gone != 0 ? ChannelStatus::closed : ChannelStatus::peer_lost;
}

bool MpiSender::ended() {
  if (!ended_) ended_ = receiver_left();
  return ended_.has_value();
}

std::pair<ChannelStatus, SendSlot> MpiSender::acquire(Deadline deadline) {
  if (finishing_) throw Error(ErrorKind::internal, "a channel's sender may not acquire a slot after finish");
  if (ended()) return {*ended_, SendSlot()};
  if (!acquired_) {
    const Waited waited = wait_for(peer_, deadline, [&] { return may_write() || notices_.peer().gone != 0; });
    if (waited == Waited::timeout) return {ChannelStatus::timeout, SendSlot()};
    if (ended()) return {*ended_, SendSlot()};
    acquired_ = true;
  }
  return {ChannelStatus::ok, SendSlot(slots_.payload(next_index_), slots_.memory())};
}

ChannelStatus MpiSender::send(SendSlot&& slot) {
  const SendSlot taken = std::move(slot);
  if (ended()) return *ended_;
  if (!acquired_ || taken.bytes().data() != slots_.payload(next_index_).data()) {
    throw Error(ErrorKind::internal, "a channel's sender was given a slot that is not the one it handed out last");
  }
  slots_.header(next_index_) = make_frame_header(next_index_, slots_.shape(), taken.bytes());
  slots_.transfer(next_index_).start();
  acquired_ = false;
  ++next_index_;
  return ChannelStatus::ok;
}

ChannelStatus MpiSender::finish(Deadline deadline) {
  if (ended_) return *ended_;
  if (!std::exchange(finishing_, true)) notices_.tell({.frames = next_index_, .done = 1, .gone = 0});
  const Waited waited = wait_for(peer_, deadline, [&] { return all_released() || notices_.peer().gone != 0; });
  if (all_released()) return ChannelStatus::ok;
  if (waited == Waited::timeout) return ChannelStatus::timeout;
  ended_ = receiver_left();
  return *ended_;
}

MpiReceiver::~MpiReceiver() {
  lent_.close();
  notices_.tell_last({.frames = released_, .done = 0, .gone = 1});
}

std::pair<ChannelStatus, ReceivedSlot> MpiReceiver::receive(Deadline deadline) {
  if (ended_) return {*ended_, ReceivedSlot()};
  try {
    return receive_frame(deadline);
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    throw;
  }
}

std::pair<ChannelStatus, ReceivedSlot> MpiReceiver::receive_frame(Deadline deadline) {
  const Waited waited = wait_for(peer_, deadline, [this] {
    const std::lock_guard lock(mutex_);
    if (error_) throw Error(*error_);
    return frame_came(next_index_) || sender_left();
  });
  if (waited == Waited::timeout) return {ChannelStatus::timeout, ReceivedSlot()};
  std::unique_lock lock(mutex_);
  const uint64_t index = next_index_;
  if (!frame_came(index)) {
    ended_ = sender_left().value_or(ChannelStatus::peer_lost);
    return {*ended_, ReceivedSlot()};
  }
  lock.unlock();  // hashing a payload takes a while
  const std::span<std::byte> payload = slots_.payload(index);
  check_frame(slots_.header(index), index, slots_.shape(), payload);
  lock.lock();
  ++next_index_;
  lock.unlock();  // a slot that comes back has the two locks in the other order
  return {ChannelStatus::ok, lent_.lend(payload)};
}

/// A receive is posted for the frame, and it is complete.
bool MpiReceiver::frame_came(uint64_t index) const {
  return index - released_ < slots_.count() && slots_.transfer(index).done();
}

/// Nothing while frames that it sent are still to come.
std::optional<ChannelStatus> MpiReceiver::sender_left() {
  const MpiNotice& sender = notices_.peer();
  if (sender.frames != next_index_) return std::nullopt;
  if (sender.done != 0) return ChannelStatus::end_of_stream;
  if (sender.gone != 0) return ChannelStatus::closed;
  return std::nullopt;
}

size_t MpiReceiver::waiting_slots() const {
  const std::lock_guard lock(mutex_);
  uint64_t index = next_index_;
  while (frame_came(index)) ++index;
  return index - next_index_;
}

void MpiReceiver::take_back() noexcept {
  const std::lock_guard lock(mutex_);
  try {
    slots_.transfer(released_).start();  // posted before the credit is told
    notices_.tell({.frames = ++released_, .done = 0, .gone = 0});
  } catch (const Error& error) {
    if (!error_) error_ = error;  // the next receive throws it
  }
}

}  // namespace dflash
