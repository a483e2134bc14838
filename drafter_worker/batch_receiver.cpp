#include "drafter_worker/batch_receiver.h"

#include <algorithm>
#include <thread>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

// A batch that is due may come on any link: while there is more than one, they are looked at in turn, with growing
// pauses between the rounds, since every look and every pause costs some of the core.
constexpr int64_t kNoMore = INT64_MAX;  // due when nothing but the end of a stream is
constexpr std::chrono::nanoseconds kOnlyLinkLookTime = std::chrono::milliseconds(50);
constexpr std::chrono::nanoseconds kShortestPause = std::chrono::microseconds(50);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::milliseconds(4);

}  // namespace

BatchReceiver::BatchReceiver(std::vector<Link> links, const BatchLayout& layout) : layout_(layout) {
  for (Link& link : links) heads_.push_back({std::move(link), std::nullopt, false});
}

void BatchReceiver::look_at(Head& head, int64_t due, Deadline deadline) {
  auto [status, slot] = head.link.receiver->receive(deadline);
  if (status == ChannelStatus::timeout) return;
  if (status == ChannelStatus::closed || status == ChannelStatus::peer_lost) {
    const char* gone = status == ChannelStatus::closed ? "closed its channel" : "died";
    const std::string before = due == kNoMore ? "the end of its stream" : format("batch {}", due);
    throw Error(ErrorKind::peer_died, format("{} {} before {}", head.link.peer, gone, before));
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
  for (auto pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    const auto open = std::count_if(heads_.begin(), heads_.end(), [](const Head& h) { return !h.batch && !h.ended; });
    const auto look_time = open == 1 ? std::min(kOnlyLinkLookTime, deadline.remaining()) : std::chrono::nanoseconds(0);
    for (Head& head : heads_) {
      if (!head.batch && !head.ended) look_at(head, sequence, Deadline::after(look_time));
      if (!head.batch || head.batch->batch.sequence != sequence) continue;
      ReceivedBatch due = std::move(*head.batch);
      head.batch.reset();
      return due;
    }
    if (std::none_of(heads_.begin(), heads_.end(), [](const Head& h) { return !h.batch && !h.ended; })) {
      throw Error(ErrorKind::internal, format("no target can still send batch {}: they ended their streams or are "
                                              "beyond it",
                                              sequence));
    }
    if (deadline.expired()) {
      throw Error(ErrorKind::stall,
                  format("batch {} did not arrive in time from any of {} targets", sequence, heads_.size()));
    }
    if (open > 1) std::this_thread::sleep_for(std::min(pause, deadline.remaining()));
  }
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
      look_at(head, kNoMore, deadline);
      if (!head.ended && deadline.expired())
        throw Error(ErrorKind::stall, format("{} did not end its stream", head.link.peer));
    }
  }
}

}  // namespace dflash
