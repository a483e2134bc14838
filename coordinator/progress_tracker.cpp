#include "coordinator/progress_tracker.h"

namespace dflash {
namespace {

constexpr size_t kWindowSteps = 30;

}  // namespace

ProgressTracker::ProgressTracker(int64_t total_steps, int64_t steps_done, int64_t queue_depth, TimePoint start) {
  progress_.total_steps = total_steps;
  progress_.queue_depth = queue_depth;
  marks_.push_back({.time = start, .step = steps_done});
}

const Progress& ProgressTracker::update(const StepMetrics& metrics, TimePoint now) {
  Mark mark = marks_.back();
  mark.time = now;
  mark.step = metrics.step;
  mark.tokens += metrics.tokens;
  mark.supervised_positions += metrics.supervised_positions;
  mark.step_s += metrics.step_s;
  mark.wait_s += metrics.step_s * metrics.drafter_wait_share;
  marks_.push_back(mark);
  if (marks_.size() > kWindowSteps + 1) marks_.pop_front();

  progress_.step = metrics.step;
  progress_.loss = metrics.loss;
  progress_.queue_level = metrics.queue_level;
  if (metrics.acc) {
    progress_.acc = metrics.acc;
    progress_.acc_per_position = metrics.acc_per_position;
    progress_.accept_len = metrics.accept_len;
  }
  update_rates();
  return progress_;
}

void ProgressTracker::update_rates() {
  const Mark& first = marks_.front();
  const Mark& last = marks_.back();
  const double seconds = std::chrono::duration<double>(last.time - first.time).count();
  if (last.step_s > first.step_s) {
    progress_.drafter_wait_share = (last.wait_s - first.wait_s) / (last.step_s - first.step_s);
  }
  if (seconds <= 0) return;
  progress_.tokens_per_s = static_cast<double>(last.tokens - first.tokens) / seconds;
  progress_.supervised_positions_per_s =
      static_cast<double>(last.supervised_positions - first.supervised_positions) / seconds;
  const auto steps_left = static_cast<double>(progress_.total_steps - last.step);
  progress_.eta_s = steps_left * seconds / static_cast<double>(last.step - first.step);
}

}  // namespace dflash
