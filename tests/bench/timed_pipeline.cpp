#include "tests/bench/timed_pipeline.h"

#include <sys/prctl.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "common/base/random.h"
#include "common/base/stopwatch.h"
#include "common/channel/shm_channel.h"
#include "common/data/batch_layout.h"
#include "common/pipeline/bounded_queue.h"
#include "coordinator/batch_scheduler.h"
#include "drafter_worker/buffered_hs_queue.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash::bench {
namespace {

constexpr int kTargetStage = 0, kPackStage = 1, kDrafterStage = 2;

Deadline late() {
  return Deadline::after(std::chrono::seconds(120));
}

/// Sleeps as exactly as the system can.
void take_time(double ms, const TimedRun& run, int stage, int64_t sequence) {
  static thread_local const int exact = prctl(PR_SET_TIMERSLACK, 1UL);
  (void)exact;
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms * stage_factor(run, stage, sequence)));
}

ScheduleSettings schedule_of(const TimedRun& run) {
  return {.first_sequence = 0,
          .total_batches = run.batches,
          .queue_depth = timed_queue_depth(run),
          .targets = run.targets,
          .drafters = run.drafters};
}

/// The coordinator: the real scheduler behind a lock, and a queue of granted numbers for each target.
class Coordinator {
 public:
  explicit Coordinator(const TimedRun& run) : scheduler_(schedule_of(run)) {
    for (int t = 0; t < run.targets; ++t) leases_.emplace_back(16);
  }
  void request(int target, int64_t count) {
    const std::lock_guard lock(mutex_);
    hand_out(scheduler_.request(target, count));
  }
  void trained(int drafter, int64_t sequence) {
    const std::lock_guard lock(mutex_);
    hand_out(scheduler_.batch_trained(drafter, sequence));
  }
  BoundedQueue<int64_t>& leases(int target) { return leases_[static_cast<size_t>(target)]; }

 private:
  void hand_out(const std::vector<Grant>& grants) {
    for (const Grant& grant : grants) {
      for (int64_t s : grant.sequences) (void)leases(grant.target).push(std::move(s), late());
      if (grant.last) leases(grant.target).close();
    }
  }
  std::mutex mutex_;
  BatchScheduler scheduler_;
  std::deque<BoundedQueue<int64_t>> leases_;
};

const BatchLayout& small_layout() {
  static const BatchLayout layout = make_batch_layout(16, 8, {0}, DType::f32);
  return layout;
}

ChannelShape link_shape(const TimedRun& run) {
  const int64_t depth = timed_queue_depth(run), links = int64_t{run.targets} * run.drafters;
  const auto slots = static_cast<size_t>(std::max(int64_t{2}, (depth + links - 1) / links));
  return {small_layout().slot_bytes, slots, small_layout().hash(), false};
}

void post_process(const TimedRun& run, int64_t sequence, std::vector<std::unique_ptr<Sender>>& senders) {
  Sender& sender = *senders[static_cast<size_t>(sequence) % senders.size()];
  auto [status, slot] = sender.acquire(late());
  take_time(run.pack_ms, run, kPackStage, sequence);
  write_batch_header(slot.bytes(), small_layout(), sequence, 1, {});
  (void)sender.send(std::move(slot));
}

/// As TargetForwardLoop and its post-processing: two sets of capture buffers.
void run_target(const TimedRun& run, int target, Coordinator& coordinator,
                std::vector<std::unique_ptr<Sender>> senders) {
  BoundedQueue<int64_t> captured(2), free_sets(2);
  for (int64_t set : {0, 1}) (void)free_sets.push(std::move(set), late());
  std::thread packer([&] {
    int64_t sequence = 0;
    while (captured.pop(sequence, late()) == QueueStatus::ok) {
      post_process(run, sequence, senders);
      (void)free_sets.push(0, late());
    }
  });
  coordinator.request(target, 2);
  int64_t sequence = 0, set = 0;
  while (coordinator.leases(target).pop(sequence, late()) == QueueStatus::ok) {
    coordinator.request(target, 1);
    if (run.async) (void)free_sets.pop(set, late());
    take_time(run.target_ms, run, kTargetStage, sequence);
    if (run.async) {
      (void)captured.push(std::move(sequence), late());
    } else {
      post_process(run, sequence, senders);
    }
  }
  captured.close();
  packer.join();
  for (auto& sender : senders) (void)sender->finish(late());
}

void run_drafter(const TimedRun& run, int drafter, Coordinator& coordinator, std::barrier<>& step,
                 std::vector<BufferedHSQueue::Link> links) {
  BufferedHSQueue queue(std::move(links), small_layout(), {.first_sequence = drafter, .drafters = run.drafters});
  for (int64_t s = drafter; s < run.batches; s += run.drafters) {
    const QueuedBatch batch = queue.pop(late());
    take_time(run.drafter_ms, run, kDrafterStage, s);
    coordinator.trained(drafter, s);
    step.arrive_and_wait();  // the sum of the gradients
  }
  queue.drain(late());
}

}  // namespace

double stage_factor(const TimedRun& run, int stage, int64_t sequence) {
  if (run.jitter == 0) return 1;
  const CounterRandom random(1, RandomPurpose::stage_delays, static_cast<uint64_t>(stage));
  return std::max(0.1, 1 + run.jitter * random.normal(static_cast<uint64_t>(sequence)));
}

int64_t timed_queue_depth(const TimedRun& run) {
  return run.ready_per_drafter * run.drafters + 3 * int64_t{run.targets};
}

double run_timed_pipeline(const TimedRun& run) {
  Coordinator coordinator(run);
  std::barrier step(run.drafters);
  std::vector<std::vector<InProcessBootstrap::Pair>> lines(static_cast<size_t>(run.targets));
  for (auto& of_target : lines) {
    for (int d = 0; d < run.drafters; ++d) of_target.push_back(InProcessBootstrap::make_pair());
  }
  const ChannelShape shape = link_shape(run);
  std::barrier connected(run.targets + run.drafters + 1);
  std::vector<std::thread> ranks;
  for (int t = 0; t < run.targets; ++t) {
    ranks.emplace_back([&, t] {
      std::vector<std::unique_ptr<Sender>> senders;
      for (auto& line : lines[static_cast<size_t>(t)]) senders.push_back(make_shm_sender(shape, *line.first, late()));
      connected.arrive_and_wait();
      run_target(run, t, coordinator, std::move(senders));
    });
  }
  for (int d = 0; d < run.drafters; ++d) {
    ranks.emplace_back([&, d] {
      std::vector<BufferedHSQueue::Link> links;
      for (auto& of_target : lines) {
        links.push_back({make_shm_receiver(shape, *of_target[static_cast<size_t>(d)].second, late()), "target"});
      }
      connected.arrive_and_wait();
      run_drafter(run, d, coordinator, step, std::move(links));
    });
  }
  connected.arrive_and_wait();
  const Stopwatch watch;
  for (std::thread& rank : ranks) rank.join();
  return static_cast<double>(watch.elapsed_ns()) * 1e-9;
}

}  // namespace dflash::bench
