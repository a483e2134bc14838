// BatchScheduler: which target computes which batch, and how many batches may be on their way at once.
//
// Sequence numbers are granted in ascending order, one at a time in turn to every target that waits, so that a slow
// target never holds the others up. Drafter d trains the numbers s with s mod D = d, in order. Number s is granted only
// while s < u + queue_depth, where u is the smallest number that is not trained: this bound is the system's
// backpressure, and no drafter is ever further behind. When the last number is granted, every target that asks is told
// so once.
//
//   std::vector<Grant> grants = scheduler.request(target, 2);      // from a LeaseRequest
//   std::vector<Grant> more = scheduler.batch_trained(drafter, 0);   // from a BatchTrained
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

struct ScheduleSettings {
  int64_t first_sequence = 0;  // all below are trained already (a resumed run); a multiple of `drafters`
  int64_t total_batches = 0;   // of the whole run
  int64_t queue_depth = 1;
  int targets = 1;  // 0: all batches are there already, in a recorded folder
  int drafters = 1;
};

class BatchScheduler {
 public:
  explicit BatchScheduler(const ScheduleSettings& settings);

  /// Target number `target` can take `count` more batches. Returns the grants that became possible.
  [[nodiscard]] std::vector<Grant> request(int target, int64_t count);
  /// Drafter number `drafter` has trained on this batch; those of one drafter come in order: d, d + D, d + 2 D, ...
  [[nodiscard]] std::vector<Grant> batch_trained(int drafter, int64_t sequence);

 private:
  struct Target {
    int64_t wanted = 0;  // asked for and not yet granted
    bool told_last = false;
  };
  [[nodiscard]] std::vector<Grant> grant();

  /// The smallest number that is not trained.
  [[nodiscard]] int64_t first_untrained() const;

  const ScheduleSettings settings_;
  int64_t next_;                       // the next sequence number to grant
  std::vector<int64_t> next_trained_;  // by drafter: the number it trains next
  std::vector<Target> targets_;
  std::deque<int> waiting_;  // targets with wanted > 0, next in turn first
};

}  // namespace dflash
