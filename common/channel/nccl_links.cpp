#include "common/channel/nccl_links.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/channel/nccl_port.h"

namespace dflash {

namespace {

Error as_error(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& exception) {
    return {ErrorKind::internal, exception.what()};
  }
}

}  // namespace

void NcclLink::tell(NcclMessage::Word word, uint64_t frames, const FrameHeader& header) {
  port_.tell(peer_.address, {.channel = peer_.channel, .word = word, .frames = frames, .header = header});
}

void NcclLink::fail(const std::exception_ptr& why) {
  if (!error_) error_ = as_error(why);
}

void NcclLink::refuse(const NcclMessage& message, const char* state) {
  fail(std::make_exception_ptr(
      Error(ErrorKind::internal, format("corrupt message between the ends of a nccl channel: word {} of frame {} {}",
                                        static_cast<uint32_t>(message.word), message.frames, state))));
}

void NcclLink::add_transfer(SlotTransfer<SendLease> transfer) {
  under_way_.push_back({std::move(transfer), Deadline::after(port_.patience())});
}

OnStream<SendLease> NcclLink::slot_on_stream(uint64_t index) {
  return lend(slots_.slot(index)).on(port_.thread().stream());
}

bool NcclLink::look() {
  bool any = false;
  while (!under_way_.empty() && under_way_.front().transfer.over()) {
    UnderWay first = std::move(under_way_.front());
    under_way_.pop_front();
    any = true;
    try {
      static_cast<void>(std::move(first.transfer).land(Deadline::after(std::chrono::seconds(0))));
      ++landed_;
    } catch (const std::exception&) {
      fail(std::current_exception());
    }
  }
  return any;
}

std::exception_ptr NcclLink::why_abort() {
  if (aborted_ || under_way_.empty()) return nullptr;
  const auto give_up = [this](ErrorKind kind, const char* why) {
    aborted_ = true;
    return std::make_exception_ptr(Error(kind, format("{} {}", peer_.transport->peer_name(), why)));
  };
  if (error_) {
    aborted_ = true;
    return std::make_exception_ptr(*error_);
  }
  if (peer_.process.ended()) return give_up(ErrorKind::peer_died, "died while a frame was under way");
  if (broken_off_) return give_up(ErrorKind::peer_died, "left while a frame was under way");
  if (under_way_.front().patience.expired()) {
    return give_up(ErrorKind::stall, "has not done its part of a frame within the time");
  }
  return nullptr;
}

void NcclSendLink::take(const NcclMessage& message) {
  switch (message.word) {
    case NcclMessage::Word::go:
      if (message.frames != started_ || started_ == offered_) return refuse(message, "was not offered");
      return start();
    case NcclMessage::Word::released:
      if (message.frames < released_ || message.frames > offered_) return refuse(message, "was not sent");
      released_ = message.frames;
      return;
    case NcclMessage::Word::gone:
      peer_gone_ = true;
      return;
    default:
      refuse(message, "is no receiver's to say");
  }
}

void NcclSendLink::start() {
  try {
    add_transfer(port_.thread().start_send(peer().transport, slot_on_stream(started_), slots().slot_bytes()));
    ++started_;
  } catch (const std::exception&) {
    fail(std::current_exception());
  }
}

void NcclSendLink::offer(const FrameHeader& header) {
  tell(NcclMessage::Word::offer, offered_, header);
  ++offered_;
}

void NcclReceiveLink::take(const NcclMessage& message) {
  switch (message.word) {
    case NcclMessage::Word::offer:
      if (message.frames != offered_ || peer_done_ || peer_gone_) return refuse(message, "is not the next");
      if (offered_ - released_ >= shape().slot_count) return refuse(message, "has no free slot");
      ++offered_;
      headers_.push_back(message.header);
      return port_.queue_offer(*this);
    case NcclMessage::Word::done:
      if (message.frames != offered_) return refuse(message, "is not the last");
      peer_done_ = true;
      return;
    case NcclMessage::Word::gone:
      broken_off_ = message.frames < started_;
      offered_ = std::min(offered_, std::max(message.frames, started_));  // the rest will not come
      headers_.resize(offered_ - next_);
      peer_gone_ = true;
      return;
    default:
      refuse(message, "is no sender's to say");
  }
}

bool NcclReceiveLink::start() {
  if (error() || has_left() || started_ == offered_) return false;
  try {
    add_transfer(port_.thread().start_receive(peer().transport, slot_on_stream(started_), slots().slot_bytes()));
    tell(NcclMessage::Word::go, started_);
    ++started_;
    return true;
  } catch (const std::exception&) {
    fail(std::current_exception());
    return false;
  }
}

FrameHeader NcclReceiveLink::take_next() {
  const FrameHeader header = headers_.front();
  headers_.pop_front();
  ++next_;
  return header;
}

void NcclReceiveLink::release() {
  ++released_;
  tell(NcclMessage::Word::released, released_);
}

}  // namespace dflash
