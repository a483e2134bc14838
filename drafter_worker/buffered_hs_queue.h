// BufferedHSQueue: the batches of all targets, in the order of their sequence numbers.
//
//   queue.pop(deadline)      the next batch of this drafter: first_sequence, first_sequence + drafters, ...
//   queue.try_pop()          the same, if it is there already
//   queue.drain(deadline)    behind the last batch: takes the end of every stream
//
// A thread for each link sleeps in its channel and takes what comes; what is not due yet is kept, in its slot. So the
// slots of the links bound what waits here: a target whose slots are all taken waits, and nothing is lost. The queue
// opens when `min_ready` batches are there (queue_plan.h says which number can always be reached).
//
// Threading: pop, try_pop and drain from one thread, the rest from any. Owns: the links and their threads. The
// destructor waits for these, at most one look.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "common/data/batch_layout.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {

/// A batch and its slot, which is free again when this is destroyed.
struct QueuedBatch {
  ReceivedSlot slot;
  BatchHeader header;
};

struct HsQueueSettings {
  int64_t first_sequence = 0;  // of this drafter
  int64_t drafters = 1;
  int64_t min_ready = 1;  // in force
};

class BufferedHSQueue {
 public:
  struct Link {
    std::unique_ptr<Receiver> receiver;
    std::string peer;  // "target 1 (rank 2)"
  };

  /// `layout` must outlive the queue. Batches may come from here on.
  BufferedHSQueue(std::vector<Link> links, const BatchLayout& layout, const HsQueueSettings& settings);
  ~BufferedHSQueue();
  BufferedHSQueue(const BufferedHSQueue&) = delete;
  BufferedHSQueue& operator=(const BufferedHSQueue&) = delete;

  /// Error{stall} when the batch has not come by the deadline, {peer_died} when a link closed, {internal} when a link
  /// broke the order of sequence numbers or sent what is no batch.
  [[nodiscard]] QueuedBatch pop(Deadline deadline);
  /// Nothing when it is not there yet; errors are left to pop.
  [[nodiscard]] std::optional<QueuedBatch> try_pop();
  /// Error as pop, and {internal} for a batch beyond the last.
  void drain(Deadline deadline);

  struct FailedAt {
    const char* stage;
    int64_t sequence;  // -1: no batch, or nobody knows which
  };
  /// Where a link's thread was when it failed. Nothing unless pop or drain has thrown its error.
  [[nodiscard]] std::optional<FailedAt> failed_at() const;

  /// Batches that are here and not yet handed out.
  [[nodiscard]] int64_t level() const;
  /// The most there were at once since the last call.
  [[nodiscard]] int64_t take_peak();

 private:
  enum class LinkState { open, ended, closed, peer_lost };
  struct Feed {
    Link link;
    LinkState state = LinkState::open;
    int64_t last_sequence = -1;
    FailedAt where{"receive a batch", -1};  // written by its thread
    std::unique_ptr<StageThread> thread;
  };
  void keep_error(const Feed& feed, const std::exception_ptr& error);
  void receive_all(Feed& feed);
  void take(Feed& feed, ReceivedSlot&& slot);
  [[nodiscard]] bool is_open() const { return opened_ || static_cast<int64_t>(ready_.size()) >= settings_.min_ready; }
  [[nodiscard]] bool due_is_ready() const { return is_open() && ready_.contains(next_); }
  [[nodiscard]] QueuedBatch hand_out();
  [[nodiscard]] bool any_feed(LinkState state) const;
  [[nodiscard]] int64_t next_of(const Feed& feed) const;
  void throw_if_hopeless(const std::string& awaited);
  [[nodiscard]] std::string how_far() const;

  const BatchLayout& layout_;
  const HsQueueSettings settings_;
  mutable std::mutex mutex_;  // guards all below but the links themselves
  std::condition_variable changed_;
  std::map<int64_t, QueuedBatch> ready_;  // by sequence
  int64_t next_;                          // due
  bool opened_ = false;
  bool leaving_ = false;
  int64_t peak_ = 0;
  std::exception_ptr error_;  // of a link's thread
  FailedAt failed_at_{"", -1};
  bool told_ = false;       // pop or drain has thrown it
  std::deque<Feed> feeds_;  // last: their threads use the members above
};

}  // namespace dflash
