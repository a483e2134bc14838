// HostFence: a fence that a host thread passes; of the back-ends cpu and sim.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "common/device/backend.h"

namespace dflash {

class HostFence final : public FenceState {
 public:
  /// Once. Everything written before is seen by whoever sees the fence passed.
  void pass(std::exception_ptr error) noexcept;

  [[nodiscard]] bool passed() const noexcept override { return passed_.load(std::memory_order_acquire); }
  [[nodiscard]] bool wait_until(Deadline deadline) const noexcept override;
  [[nodiscard]] std::exception_ptr error() const noexcept override { return passed() ? error_ : nullptr; }

 private:
  mutable std::mutex mutex_;  // for the sleepers alone
  mutable std::condition_variable passing_;
  std::atomic<bool> passed_{false};
  std::exception_ptr error_;  // written before passed_, never after
};

}  // namespace dflash
