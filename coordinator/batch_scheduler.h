// BatchScheduler: which target computes which batch, and how many batches may be on their way at once.
//
// Sequence numbers are granted in ascending order, one at a time in turn to every target that waits, so that a slow
// target never holds the others up. Number s is granted only while s < trained + queue_depth: this bound is the
// system's backpressure. When the last number is granted, every target that asks is told so once.
//
//   std::vector<Grant> grants = scheduler.request(target, 2);   // from a LeaseRequest
//   std::vector<Grant> more = scheduler.batch_trained(0);       // from a BatchTrained
//
// Pure: no MPI, no clock. Threading: one thread. Errors: Error{internal} for an event that cannot be.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace dflash {

/// What one target is told: ascending sequence numbers; `last` when the run has no more for it.
struct Grant {
  int target = 0;
  std::vector<int64_t> sequences;
  bool last = false;
};

class BatchScheduler {
 public:
  BatchScheduler(int64_t total_batches, int64_t queue_depth, int targets);

  /// Target number `target` can take `count` more batches. Returns the grants that became possible.
  [[nodiscard]] std::vector<Grant> request(int target, int64_t count);
  /// The drafter has trained on this batch; they come in order, 0, 1, 2, ...
  [[nodiscard]] std::vector<Grant> batch_trained(int64_t sequence);

  /// Batches granted and not yet trained.
  [[nodiscard]] int64_t in_flight() const { return next_ - trained_; }

 private:
  struct Target {
    int64_t wanted = 0;  // asked for and not yet granted
    bool told_last = false;
  };
  [[nodiscard]] std::vector<Grant> grant();

  const int64_t total_batches_;
  const int64_t queue_depth_;
  int64_t next_ = 0;     // the next sequence number to grant
  int64_t trained_ = 0;  // all below are trained
  std::vector<Target> targets_;
  std::deque<int> waiting_;  // targets with wanted > 0, next in turn first
};

}  // namespace dflash
