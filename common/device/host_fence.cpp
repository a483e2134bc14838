#include "common/device/host_fence.h"

#include <utility>

namespace dflash {

void HostFence::pass(std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  passed_.store(true, std::memory_order_release);
  passing_.notify_all();  // under the lock: the last sleeper may own the last reference
}

bool HostFence::wait_until(Deadline deadline) const noexcept {
  if (passed()) return true;
  std::unique_lock lock(mutex_);
  return passing_.wait_until(lock, deadline.when(), [this] { return passed(); });
}

}  // namespace dflash
