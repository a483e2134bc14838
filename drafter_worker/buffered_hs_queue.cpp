#include "drafter_worker/buffered_hs_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how soon a link's thread notices that the queue is going

}  // namespace

BufferedHSQueue::BufferedHSQueue(std::vector<Link> links, const BatchLayout& layout, const HsQueueSettings& settings)
    : layout_(layout), settings_(settings), next_(settings.first_sequence) {
  for (Link& link : links) feeds_.push_back({.link = std::move(link), .thread = nullptr});
  for (Feed& feed : feeds_) {
    feed.thread = std::make_unique<StageThread>(
        "receiver", [this, &feed] { receive_all(feed); },
        [this, &feed](const std::exception_ptr& error) { keep_error(feed, error); });
  }
}

BufferedHSQueue::~BufferedHSQueue() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  for (Feed& feed : feeds_) feed.thread.reset();
  ready_.clear();  // their slots go back while the links are still there
}

void BufferedHSQueue::keep_error(const Feed& feed, const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) {
    error_ = error;
    failed_at_ = feed.where;
  }
  changed_.notify_all();
}

/// Which batch a link sends next is known where it is the only one.
int64_t BufferedHSQueue::next_of(const Feed& feed) const {
  if (feeds_.size() > 1) return -1;
  return feed.last_sequence < 0 ? settings_.first_sequence : feed.last_sequence + settings_.drafters;
}

std::optional<BufferedHSQueue::FailedAt> BufferedHSQueue::failed_at() const {
  const std::lock_guard lock(mutex_);
  return told_ ? std::optional(failed_at_) : std::nullopt;
}

void BufferedHSQueue::receive_all(Feed& feed) {
  for (;;) {
    feed.where = {"receive a batch", next_of(feed)};
    auto [status, slot] = feed.link.receiver->receive(Deadline::after(kLook));
    if (status == ChannelStatus::ok) {
      take(feed, std::move(slot));
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (leaving_) return;
    if (status == ChannelStatus::timeout) continue;
    feed.state = status == ChannelStatus::end_of_stream ? LinkState::ended
                 : status == ChannelStatus::closed      ? LinkState::closed
                                                        : LinkState::peer_lost;
    changed_.notify_all();
    return;
  }
}

void BufferedHSQueue::take(Feed& feed, ReceivedSlot&& slot) {
  const BatchHeader header = read_batch_header(slot.bytes(), layout_);
  feed.where = {"put a batch in order", header.sequence};
  const std::lock_guard lock(mutex_);
  const bool own = (header.sequence - settings_.first_sequence) % settings_.drafters == 0;
  if (!own || header.sequence <= feed.last_sequence || header.sequence < next_ || ready_.contains(header.sequence)) {
    throw Error(ErrorKind::internal, format("{} sent batch {} behind batch {} when {} was due", feed.link.peer,
                                            header.sequence, feed.last_sequence, next_));
  }
  feed.last_sequence = header.sequence;
  ready_.emplace(header.sequence, QueuedBatch{std::move(slot), header});
  peak_ = std::max(peak_, static_cast<int64_t>(ready_.size()));
  changed_.notify_all();
}

QueuedBatch BufferedHSQueue::pop(Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (!due_is_ready()) {
    throw_if_hopeless(format("batch {}", next_));
    if (changed_.wait_until(lock, deadline.when()) == std::cv_status::timeout && !due_is_ready()) {
      throw_if_hopeless(format("batch {}", next_));
      throw Error(ErrorKind::stall, format("batch {} did not arrive in time from any of {} targets ({})", next_,
                                           feeds_.size(), how_far()));
    }
  }
  return hand_out();
}

std::optional<QueuedBatch> BufferedHSQueue::try_pop() {
  const std::lock_guard lock(mutex_);
  if (!due_is_ready()) return std::nullopt;
  return hand_out();
}

QueuedBatch BufferedHSQueue::hand_out() {
  opened_ = true;
  auto due = ready_.extract(next_);
  next_ += settings_.drafters;
  return std::move(due.mapped());
}

void BufferedHSQueue::throw_if_hopeless(const std::string& awaited) {
  if (error_) {
    told_ = true;
    std::rethrow_exception(error_);
  }
  for (const Feed& feed : feeds_) {
    if (feed.state != LinkState::closed && feed.state != LinkState::peer_lost) continue;
    const char* gone = feed.state == LinkState::closed ? "closed its channel" : "died";
    throw Error(ErrorKind::peer_died, format("{} {} before {}", feed.link.peer, gone, awaited));
  }
  if (any_feed(LinkState::open) || awaited != format("batch {}", next_)) return;
  throw Error(ErrorKind::internal,
              format("no target can still send {}: all have ended their streams ({})", awaited, how_far()));
}

void BufferedHSQueue::drain(Deadline deadline) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!ready_.empty()) {
      throw Error(ErrorKind::internal, format("batch {} came beyond the last", ready_.begin()->first));
    }
    throw_if_hopeless("the end of its stream");
    if (!any_feed(LinkState::open)) return;
    if (changed_.wait_until(lock, deadline.when()) == std::cv_status::timeout && any_feed(LinkState::open)) {
      const auto open = std::ranges::find(feeds_, LinkState::open, &Feed::state);
      throw Error(ErrorKind::stall, format("{} did not end its stream", open->link.peer));
    }
  }
}

bool BufferedHSQueue::any_feed(LinkState state) const {
  return std::ranges::find(feeds_, state, &Feed::state) != feeds_.end();
}

std::string BufferedHSQueue::how_far() const {
  if (!opened_) return format("{} of the {} batches to begin with are ready", ready_.size(), settings_.min_ready);
  return format("{} later ones are ready", ready_.size());
}

int64_t BufferedHSQueue::level() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(ready_.size());
}

int64_t BufferedHSQueue::take_peak() {
  const std::lock_guard lock(mutex_);
  return std::exchange(peak_, static_cast<int64_t>(ready_.size()));
}

}  // namespace dflash
