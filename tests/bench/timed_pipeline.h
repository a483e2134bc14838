// A run whose stages are timers: the real scheduler, queues, threads, channels and order of training, with nothing to
// compute. Stages sleep, so that the cores are free for what is measured: who waits for whom.
#pragma once

#include <cstdint>

namespace dflash::bench {

struct TimedRun {
  int targets = 5;
  int drafters = 3;
  int64_t batches = 2000;  // a multiple of `drafters`
  double target_ms = 12.5, pack_ms = 1.45, drafter_ms = 4.85;
  double jitter = 0;              // standard deviation of a stage's time, of its mean
  int64_t ready_per_drafter = 2;  // batches that may wait for a drafter, beside those its targets are at
  bool async = true;
};

/// Factor of the time of a stage for one batch: 1 without jitter, at least 0.1; drawn from (stage, sequence).
[[nodiscard]] double stage_factor(const TimedRun& run, int stage, int64_t sequence);

/// Batches that may be granted and not trained: for each target one in the forward and two on their way out, and
/// `ready_per_drafter` for each drafter.
[[nodiscard]] int64_t timed_queue_depth(const TimedRun& run);

/// Seconds of the whole run, with real threads.
[[nodiscard]] double run_timed_pipeline(const TimedRun& run);

/// Seconds of the same run when nothing but the stages takes time: a simulation of events with the same rules and the
/// same drawn times. No real run can be faster.
[[nodiscard]] double simulate_pipeline(const TimedRun& run);

}  // namespace dflash::bench
