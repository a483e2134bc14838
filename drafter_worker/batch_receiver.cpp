#include "drafter_worker/batch_receiver.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

// How long one link is looked at before the next: short, since the batch that is due may come on any of them.
constexpr std::chrono::microseconds kLookTime{500};

}  // namespace

BatchReceiver::BatchReceiver(std::vector<Link> links, const BatchLayout& layout) : layout_(layout) {
  for (Link& link : links) heads_.push_back({std::move(link), std::nullopt, false});
}

void BatchReceiver::look_at(Head& head, int64_t due, Deadline deadline) {
  auto [status, slot] = head.link.receiver->receive(deadline);
  if (status == ChannelStatus::timeout) return;
  if (status == ChannelStatus::closed) {
    throw Error(ErrorKind::peer_died, format("{} closed its channel before batch {}", head.link.peer, due));
  }
  if (status == ChannelStatus::end_of_stream) {
    head.ended = true;
    return;
  }
  const HiddenStateBatch batch = view_received_slot(slot.bytes(), layout_);
  if (batch.sequence < due) {
    throw Error(ErrorKind::internal, format("{} sent batch {} when {} was due", head.link.peer, batch.sequence, due));
  }
  head.batch = ReceivedBatch{std::move(slot), batch};
}

ReceivedBatch BatchReceiver::receive(int64_t sequence, Deadline deadline) {
  while (!deadline.expired()) {
    bool may_come = false;
    for (Head& head : heads_) {
      if (!head.batch && !head.ended) look_at(head, sequence, Deadline::after(kLookTime));
      may_come = may_come || !head.ended;
      if (!head.batch || head.batch->batch.sequence != sequence) continue;
      ReceivedBatch due = std::move(*head.batch);
      head.batch.reset();
      return due;
    }
    if (!may_come)
      throw Error(ErrorKind::internal, format("all targets ended their streams before batch {}", sequence));
  }
  throw Error(ErrorKind::stall,
              format("batch {} did not arrive in time from any of {} targets", sequence, heads_.size()));
}

int64_t BatchReceiver::level() const {
  int64_t level = 0;
  for (const Head& head : heads_)
    level += static_cast<int64_t>(head.link.receiver->waiting_slots()) + (head.batch ? 1 : 0);
  return level;
}

void BatchReceiver::drain(Deadline deadline) {
  for (Head& head : heads_) {
    if (head.batch) throw Error(ErrorKind::internal, format("{} sent a batch beyond the last", head.link.peer));
    while (!head.ended) {
      look_at(head, INT64_MAX, deadline);
      if (!head.ended && deadline.expired())
        throw Error(ErrorKind::stall, format("{} did not end its stream", head.link.peer));
    }
  }
}

}  // namespace dflash
