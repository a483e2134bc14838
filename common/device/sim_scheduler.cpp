#include "common/device/sim_scheduler.h"

#include <algorithm>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/device/sim_memory.h"

namespace dflash {
namespace {

constexpr uint64_t kLaneOfPicks = ~uint64_t{0};  // a stream of random numbers that no lane has

void rest(std::chrono::microseconds most, uint64_t chance) {
  if (most.count() > 0) std::this_thread::sleep_for(most * static_cast<double>(chance & 0xFFFF) / 0xFFFF);
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

}  // namespace

SimScheduler::SimScheduler(const SimOptions& options) : options_(options), engines_wake_(options.copy_engines + 1) {
  if (options.copy_engines == 0) throw Error(ErrorKind::internal, "a simulated device needs a copy engine");
  for (size_t engine = 0; engine < engines_wake_.size(); ++engine) {
    engines_.emplace_back([this, engine] { engine_loop(engine); });
  }
}

SimScheduler::~SimScheduler() {
  if (options_.gate) options_.gate->open_all();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (std::condition_variable& wake : engines_wake_) wake.notify_all();
  for (std::thread& engine : engines_) engine.join();
}

SimLane& SimScheduler::make_lane() {
  const std::lock_guard lock(mutex_);
  const CounterRandom random(options_.seed, RandomPurpose::device_delays, lanes_.size());
  return *lanes_.emplace_back(std::make_unique<SimLane>(random));
}

void SimScheduler::submit(SimLane& lane, SimOperation operation) {
  const std::lock_guard lock(mutex_);
  operation.chance = lane.random.bits(lane.submitted);
  operation.number = work_count_;
  operation.engine = operation.work == SimWork::compute ? 0 : 1 + operation.chance % options_.copy_engines;
  const bool is_work = operation.body != nullptr;
  lane.operations.push_back(std::move(operation));
  ++lane.submitted;
  if (is_work) ++work_count_;
  pass_marks();
  wake_engines();
}

bool SimScheduler::fail_users_of(std::span<const std::byte> memory, const std::exception_ptr& error) noexcept {
  const std::lock_guard lock(mutex_);
  bool found = false;
  for (const auto& lane : lanes_) {
    const bool uses = std::any_of(lane->operations.begin(), lane->operations.end(), [memory](const SimOperation& its) {
      return overlap(its.source, memory) || overlap(its.destination, memory);
    });
    if (uses && !lane->error) lane->error = error;
    found = found || uses;
  }
  return found;
}

void SimScheduler::engine_loop(size_t engine) {
  std::unique_lock lock(mutex_);
  while (true) {
    SimLane* lane = ready_lane(engine);
    if (lane == nullptr) {
      if (stopping_ && is_idle()) return;
      engines_wake_[engine].wait(lock);
      continue;
    }
    lane->running = true;
    SimOperation& operation = lane->operations.front();  // stays in place: others only push behind it
    const bool skip = lane->error != nullptr;
    lock.unlock();
    std::exception_ptr error = perform(operation, skip);
    lock.lock();
    finish(*lane, std::move(error));
  }
}

SimLane* SimScheduler::ready_lane(size_t engine) {
  std::vector<SimLane*> ready;
  for (const auto& lane : lanes_) {
    if (!lane->running && !lane->operations.empty() && lane->operations.front().body &&
        lane->operations.front().engine == engine) {
      ready.push_back(lane.get());
    }
  }
  if (ready.empty()) return nullptr;
  if (options_.reorder) {
    const CounterRandom random(options_.seed, RandomPurpose::device_delays, kLaneOfPicks);
    return ready[random.bits(picks_++) % ready.size()];
  }
  return *std::min_element(ready.begin(), ready.end(), [](const SimLane* a, const SimLane* b) {
    return a->operations.front().number < b->operations.front().number;
  });
}

std::exception_ptr SimScheduler::perform(SimOperation& operation, bool skip) const {
  std::exception_ptr error;
  if (options_.gate) options_.gate->pass(operation.work);
  if (options_.stall_operation == operation.number) std::this_thread::sleep_for(options_.stall);
  rest(options_.most_delay, operation.chance >> 16);
  allow_access(operation.destination);
  try {
    if (options_.fail_operation == operation.number) {
      throw Error(ErrorKind::internal,
                  format("operation {} of the simulated device fails, as asked", operation.number));
    }
    if (!skip) operation.body(operation.chance);
  } catch (...) {  // whatever it is: the fence carries it to whoever waits
    error = std::current_exception();
  }
  operation.body = nullptr;  // what it refers to is let go before the fence passes
  rest(options_.most_lateness, operation.chance >> 32);
  return error;
}

void SimScheduler::finish(SimLane& lane, std::exception_ptr error) {
  if (!lane.error) lane.error = std::move(error);
  lane.operations.front().fence->pass(lane.error);
  lane.operations.pop_front();
  lane.running = false;
  pass_marks();
  wake_engines();
}

void SimScheduler::pass_marks() {
  bool passed = true;
  while (passed) {  // a fence that passes in one lane may be awaited in another
    passed = false;
    for (const auto& lane : lanes_) {
      while (pass_first_mark(*lane)) passed = true;
    }
  }
}

bool SimScheduler::pass_first_mark(SimLane& lane) {
  if (lane.running || lane.operations.empty()) return false;
  const SimOperation& mark = lane.operations.front();
  if (mark.body || (mark.awaited && !mark.awaited->passed())) return false;
  if (mark.awaited && !lane.error) lane.error = mark.awaited->error();
  if (mark.fence) mark.fence->pass(lane.error);
  lane.operations.pop_front();
  return true;
}

void SimScheduler::wake_engines() {
  for (const auto& lane : lanes_) {
    if (!lane->running && !lane->operations.empty() && lane->operations.front().body) {
      engines_wake_[lane->operations.front().engine].notify_one();
    }
  }
  if (stopping_) {
    for (std::condition_variable& wake : engines_wake_) wake.notify_all();
  }
}

bool SimScheduler::is_idle() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->operations.empty(); });
}

}  // namespace dflash
