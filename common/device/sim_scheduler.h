// SimScheduler: the engines of a simulated device, and the lanes (one for each stream) they take operations from.
//
// Engine 0 computes, the others copy; each is a thread. A lane is done strictly in order: its first operation is ready
// when the one before it is over and, if it is a wait, when that fence has passed. An engine takes any lane whose first
// operation is meant for it, so streams overtake each other as on a real device. Operations themselves run outside of
// the lock: an access that nothing orders is a data race between real threads.
//
// Threading: any thread. Owns: the engines and what is queued. The destructor lets everything queued be done first.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "common/base/random.h"
#include "common/device/host_fence.h"
#include "common/device/sim_options.h"

namespace dflash {

struct SimOperation {
  std::function<void(uint64_t chance)> body{};  // empty: a mark in the lane, over as soon as it comes first
  SimWork work = SimWork::compute;
  std::span<const std::byte> source{};  // of a copy
  std::span<std::byte> destination{};   // of a copy
  FencePtr awaited{};                   // a mark's: it comes first only when this has passed
  std::shared_ptr<HostFence> fence{};   // passes when it is over; null for a wait
  size_t engine = 0;
  uint64_t number = 0;  // over all lanes
  uint64_t chance = 0;  // random bits of its own
};

struct SimLane {
  explicit SimLane(CounterRandom its_random) : random(its_random) {}
  const CounterRandom random;
  std::deque<SimOperation> operations;
  uint64_t submitted = 0;
  bool running = false;      // an engine has the first operation
  std::exception_ptr error;  // the first one
};

class SimScheduler {
 public:
  explicit SimScheduler(const SimOptions& options);
  ~SimScheduler();
  SimScheduler(const SimScheduler&) = delete;
  SimScheduler& operator=(const SimScheduler&) = delete;

  [[nodiscard]] SimLane& make_lane();
  /// Throws only when nothing was enqueued.
  void submit(SimLane& lane, SimOperation operation);
  /// Gives `error` to the lanes of the copies from or to `memory` that are not over; false when there are none.
  bool fail_users_of(std::span<const std::byte> memory, const std::exception_ptr& error) noexcept;

 private:
  void engine_loop(size_t engine);
  [[nodiscard]] SimLane* ready_lane(size_t engine);
  [[nodiscard]] std::exception_ptr perform(SimOperation& operation, bool skip) const;
  void finish(SimLane& lane, std::exception_ptr error);
  void pass_marks();
  static bool pass_first_mark(SimLane& lane);
  void wake_engines();
  [[nodiscard]] bool is_idle() const;

  const SimOptions options_;
  std::mutex mutex_;                                   // guards everything below
  std::vector<std::unique_ptr<SimLane>> lanes_;        // never removed: streams are few
  std::vector<std::condition_variable> engines_wake_;  // one for each engine
  uint64_t work_count_ = 0;
  uint64_t picks_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> engines_;  // last: they start when the members above exist
};

}  // namespace dflash
