#include "common/device/sim_gate.h"

namespace dflash {

void SimGate::close(SimWork work) {
  const std::lock_guard lock(mutex_);
  closed(work) = true;
}

void SimGate::open(SimWork work) {
  const std::lock_guard lock(mutex_);
  closed(work) = false;
  opened_.notify_all();
}

void SimGate::open_all() {
  open(SimWork::copy);
  open(SimWork::compute);
}

void SimGate::pass(SimWork work) {
  std::unique_lock lock(mutex_);
  opened_.wait(lock, [this, work] { return !closed(work); });
}

}  // namespace dflash
