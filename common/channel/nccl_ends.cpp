#include "common/channel/nccl_ends.h"

namespace dflash {

namespace {

/// What the link failed with, as the contract has it: a peer that died is a status, everything else is thrown.
std::optional<ChannelStatus> status_of_failure(const NcclLink& link) {
  if (!link.error()) return std::nullopt;
  if (link.error()->kind() == ErrorKind::peer_died) return ChannelStatus::peer_lost;
  throw Error(*link.error());
}

}  // namespace

NcclSender::~NcclSender() {
  const auto lock = port_.lock();
  port_.leave(*link_);
}

bool NcclSender::ended(const Lock& /*lock*/) {
  if (ended_) return true;
  if (link_->peer_gone()) {
    ended_ = ChannelStatus::closed;
  } else if (const auto failed = status_of_failure(*link_)) {
    ended_ = failed;
  } else if (link_->peer().process.ended()) {
    ended_ = ChannelStatus::peer_lost;
  }
  return ended_.has_value();
}

std::pair<ChannelStatus, SendSlot> NcclSender::acquire(Deadline deadline) {
  if (finishing_) throw Error(ErrorKind::internal, "a channel's sender may not acquire a slot after finish");
  auto lock = port_.lock();
  if (ended(lock)) return {*ended_, SendSlot()};
  if (!acquired_) {
    const auto ready = [this] { return link_->may_write() || link_->peer_gone() || link_->error(); };
    const Waited waited = port_.wait(lock, *link_, deadline, ready);
    if (waited == Waited::timeout) return {ChannelStatus::timeout, SendSlot()};
    if (ended(lock)) return {*ended_, SendSlot()};
    acquired_ = true;
  }
  return {ChannelStatus::ok, link_->slots().slot(link_->offered())};
}

ChannelStatus NcclSender::send(SendSlot&& slot) {
  const SendSlot taken = std::move(slot);
  auto lock = port_.lock();
  if (ended(lock)) return *ended_;
  const uint64_t index = link_->offered();
  if (!acquired_ || taken.bytes().data() != link_->slots().payload(index).data()) {
    throw Error(ErrorKind::internal, "a channel's sender was given a slot that is not the one it handed out last");
  }
  lock.unlock();  // hashing a payload takes a while
  const FrameHeader header = make_frame_header(index, link_->shape(), taken.bytes());
  lock.lock();
  link_->offer(header);
  acquired_ = false;
  return ChannelStatus::ok;
}

ChannelStatus NcclSender::finish(Deadline deadline) {
  if (ended_) return *ended_;
  auto lock = port_.lock();
  if (!std::exchange(finishing_, true) && !ended(lock)) link_->tell_done();
  const auto ready = [this] { return link_->all_released() || link_->peer_gone() || link_->error(); };
  const Waited waited = port_.wait(lock, *link_, deadline, ready);
  if (link_->all_released()) return ChannelStatus::ok;
  if (waited == Waited::timeout) return ChannelStatus::timeout;
  static_cast<void>(ended(lock));
  return ended_.value_or(ChannelStatus::peer_lost);
}

NcclReceiver::NcclReceiver(NcclPort& port, std::shared_ptr<NcclReceiveLink> link)
    : port_(port), link_(std::move(link)), lent_(link_->slots().memory(), [this] { take_back(); }) {}

NcclReceiver::~NcclReceiver() {
  lent_.close();
  const auto lock = port_.lock();
  port_.leave(*link_);
}

std::pair<ChannelStatus, ReceivedSlot> NcclReceiver::receive(Deadline deadline) {
  if (error_) throw Error(*error_);
  if (ended_) return {*ended_, ReceivedSlot()};
  try {
    return receive_frame(deadline);
  } catch (const Error& error) {
    error_ = error;
    throw;
  }
}

std::pair<ChannelStatus, ReceivedSlot> NcclReceiver::receive_frame(Deadline deadline) {
  auto lock = port_.lock();
  const auto ready = [this] { return link_->waiting() > 0 || link_->error() || sender_left(); };
  const Waited waited = port_.wait(lock, *link_, deadline, ready);
  if (waited == Waited::timeout) return {ChannelStatus::timeout, ReceivedSlot()};
  if (link_->waiting() == 0) {
    ended_ = status_of_failure(*link_);
    if (!ended_) ended_ = sender_left().value_or(ChannelStatus::peer_lost);
    return {*ended_, ReceivedSlot()};
  }
  const uint64_t index = link_->next();
  const FrameHeader header = link_->take_next();
  lock.unlock();  // hashing a payload takes a while, and a slot that comes back has the locks in the other order
  const std::span<std::byte> payload = link_->slots().payload(index);
  check_frame(header, index, link_->shape(), payload);
  return {ChannelStatus::ok, lent_.lend(payload, link_->slots().memory()->kind())};
}

/// Nothing while frames that it offered are still to come.
std::optional<ChannelStatus> NcclReceiver::sender_left() const {
  if (!link_->is_empty()) return std::nullopt;
  if (link_->peer_done()) return ChannelStatus::end_of_stream;
  if (link_->peer_gone()) return ChannelStatus::closed;
  return std::nullopt;
}

size_t NcclReceiver::waiting_slots() const {
  const auto lock = port_.lock();
  return link_->waiting();
}

void NcclReceiver::take_back() noexcept {
  const auto lock = port_.lock();
  try {
    link_->release();
  } catch (const Error&) {
    link_->fail(std::current_exception());  // the next receive throws it
  }
}

}  // namespace dflash
