// simulate_pipeline: the rules of the run as events, with a clock of its own.

#include <cstddef>
#include <queue>
#include <vector>

#include "coordinator/batch_scheduler.h"
#include "tests/bench/timed_pipeline.h"

namespace dflash::bench {
namespace {

constexpr int kTargetStage = 0, kPackStage = 1, kDrafterStage = 2;

struct Event {
  double at;
  enum Kind { forward_done, pack_done, training_done } kind;
  int rank;
  int64_t sequence;
  bool operator>(const Event& other) const { return at > other.at || (at == other.at && sequence > other.sequence); }
};

struct TargetState {
  std::vector<int64_t> leases, captured;  // in order
  bool computing = false, packing = false, last = false;
  int sets_out = 0;
};

class Simulation {
 public:
  explicit Simulation(const TimedRun& run)
      : run_(run),
        scheduler_({0, run.batches, timed_queue_depth(run), run.targets, run.drafters}),
        targets_(static_cast<size_t>(run.targets)),
        arrived_(static_cast<size_t>(run.batches), false),
        next_(static_cast<size_t>(run.drafters)),
        training_(static_cast<size_t>(run.drafters), false) {
    for (int d = 0; d < run.drafters; ++d) next_[static_cast<size_t>(d)] = d;
  }

  double seconds() {
    for (int t = 0; t < run_.targets; ++t) take(scheduler_.request(t, 2));
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      happen(event);
    }
    return now_ * 1e-3;
  }

 private:
  void begin(Event::Kind kind, int rank, int64_t sequence, double ms, int stage) {
    events_.push({now_ + ms * stage_factor(run_, stage, sequence), kind, rank, sequence});
  }
  void take(const std::vector<Grant>& grants) {
    for (const Grant& grant : grants) {
      auto& leases = targets_[static_cast<size_t>(grant.target)].leases;
      leases.insert(leases.end(), grant.sequences.begin(), grant.sequences.end());
    }
    for (int t = 0; t < run_.targets; ++t) start_forward(t);
  }
  void start_forward(int target) {
    TargetState& state = targets_[static_cast<size_t>(target)];
    const bool blocked = run_.async ? state.sets_out == 2 : state.sets_out == 1;
    if (state.computing || blocked || state.leases.empty()) return;
    const int64_t sequence = state.leases.front();
    state.leases.erase(state.leases.begin());
    state.computing = true;
    ++state.sets_out;
    begin(Event::forward_done, target, sequence, run_.target_ms, kTargetStage);
    take(scheduler_.request(target, 1));
  }
  void start_pack(int target) {
    TargetState& state = targets_[static_cast<size_t>(target)];
    if (state.packing || state.captured.empty()) return;
    const int64_t sequence = state.captured.front();
    state.captured.erase(state.captured.begin());
    state.packing = true;
    begin(Event::pack_done, target, sequence, run_.pack_ms, kPackStage);
  }
  /// A step of all drafters ends together.
  void start_training() {
    for (int d = 0; d < run_.drafters; ++d) {
      const int64_t s = next_[static_cast<size_t>(d)];
      if (training_[static_cast<size_t>(d)] || s >= run_.batches || s / run_.drafters != step_) continue;
      if (!arrived_[static_cast<size_t>(s)]) continue;
      training_[static_cast<size_t>(d)] = true;
      begin(Event::training_done, d, s, run_.drafter_ms, kDrafterStage);
    }
  }
  void happen(const Event& event) {
    const auto rank = static_cast<size_t>(event.rank);
    if (event.kind == Event::forward_done) {
      targets_[rank].computing = false;
      targets_[rank].captured.push_back(event.sequence);
      start_pack(event.rank);
      start_forward(event.rank);
    } else if (event.kind == Event::pack_done) {
      targets_[rank].packing = false;
      --targets_[rank].sets_out;
      arrived_[static_cast<size_t>(event.sequence)] = true;
      start_pack(event.rank);
      start_forward(event.rank);
      start_training();
    } else {
      training_[rank] = false;
      next_[rank] += run_.drafters;
      if (++done_ % run_.drafters == 0) ++step_;
      take(scheduler_.batch_trained(event.rank, event.sequence));
      start_training();
    }
  }

  const TimedRun& run_;
  BatchScheduler scheduler_;
  std::vector<TargetState> targets_;
  std::vector<bool> arrived_;
  std::vector<int64_t> next_;
  std::vector<bool> training_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
  int64_t step_ = 0, done_ = 0;
};

}  // namespace

double simulate_pipeline(const TimedRun& run) {
  return Simulation(run).seconds();
}

}  // namespace dflash::bench
