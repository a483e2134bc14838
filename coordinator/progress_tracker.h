// ProgressTracker: keeps what the progress line shows between steps: rates over the last 30 steps, the time left, and
// the accuracy of the newest metric step.
//
// No clock of its own: the time of arrival is passed in. Threading: one thread.
#pragma once

#include <chrono>
#include <deque>

#include "coordinator/progress_line.h"
#include "coordinator/step_metrics.h"

namespace dflash {

class ProgressTracker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `start`: when training begins, behind `steps_done` earlier steps.
  ProgressTracker(int64_t total_steps, int64_t steps_done, int64_t queue_depth, TimePoint start);

  /// Takes the metrics of the next step, returns what to show.
  [[nodiscard]] const Progress& update(const StepMetrics& metrics, TimePoint now);

 private:
  /// Sums from the start of the run to the end of a step.
  struct Mark {
    TimePoint time;
    int64_t step = 0;
    int64_t tokens = 0;
    int64_t supervised_positions = 0;
    double step_s = 0;
    double wait_s = 0;
  };
  void update_rates();

  std::deque<Mark> marks_;  // the newest last
  Progress progress_;
};

}  // namespace dflash
