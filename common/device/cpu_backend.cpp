#include "common/device/cpu_backend.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "common/device/host_fence.h"

namespace dflash {
namespace {

constexpr std::align_val_t kAlignment{64};

FencePtr passed_fence(std::exception_ptr error) {
  auto fence = std::make_shared<HostFence>();
  fence->pass(std::move(error));
  return fence;
}

/// Passes with the last of several.
class JoinedFence final : public FenceState {
 public:
  explicit JoinedFence(std::vector<FencePtr> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] bool passed() const noexcept override {
    return std::all_of(parts_.begin(), parts_.end(), [](const FencePtr& part) { return part->passed(); });
  }
  [[nodiscard]] bool wait_until(Deadline deadline) const noexcept override {
    return std::all_of(parts_.begin(), parts_.end(), [&](const FencePtr& part) { return part->wait_until(deadline); });
  }
  [[nodiscard]] std::exception_ptr error() const noexcept override {
    for (const FencePtr& part : parts_) {
      if (std::exception_ptr error = part->error()) return error;
    }
    return nullptr;
  }

 private:
  const std::vector<FencePtr> parts_;
};

class CpuQueue final : public StreamQueue {
 public:
  FencePtr copy(const CopyJob& job) override {
    return launch([&job] { std::memcpy(job.to, job.from, job.size_bytes); });
  }

  FencePtr launch(std::function<void()> kernel) override {
    auto fence = std::make_shared<HostFence>();
    const std::lock_guard turn(turn_);
    await_all();
    std::exception_ptr error = begin(fence);
    try {
      if (!error) kernel();
    } catch (...) {  // whatever it is: the fence carries it to whoever waits
      error = std::current_exception();
    }
    end(error);
    fence->pass(error);
    return fence;
  }

  FencePtr record() override {
    const std::lock_guard lock(mutex_);
    std::vector<FencePtr> parts = awaited_;
    if (running_) parts.push_back(running_);
    if (parts.empty() || error_) parts.push_back(passed_fence(error_));
    return parts.size() == 1 ? parts.front() : std::make_shared<JoinedFence>(std::move(parts));
  }

  void wait(FencePtr fence) override {
    const std::lock_guard lock(mutex_);
    if (!fence->passed()) {  // some other thread's kernel is still running
      awaited_.push_back(std::move(fence));
    } else if (!error_) {
      error_ = fence->error();
    }
  }

 private:
  /// As long as it takes: what is awaited is a kernel that runs on another thread.
  void await_all() {
    while (const FencePtr fence = first_awaited()) {
      while (!fence->wait_until(Deadline::after(std::chrono::hours(1)))) {
      }
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = fence->error();
      std::erase(awaited_, fence);
    }
  }
  [[nodiscard]] FencePtr first_awaited() {
    const std::lock_guard lock(mutex_);
    return awaited_.empty() ? nullptr : awaited_.front();
  }
  [[nodiscard]] std::exception_ptr begin(const FencePtr& fence) {
    const std::lock_guard lock(mutex_);
    running_ = fence;
    return error_;
  }
  void end(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    if (!error_) error_ = error;
  }

  std::mutex turn_;   // one operation at a time; held while it runs
  std::mutex mutex_;  // guards everything below; held for moments only
  FencePtr running_;  // of the operation that runs now
  std::vector<FencePtr> awaited_;
  std::exception_ptr error_;
};

class CpuBackend final : public Backend {
 public:
  std::unique_ptr<StreamQueue> make_queue() override { return std::make_unique<CpuQueue>(); }
  [[nodiscard]] bool shares_host_memory() const override { return true; }

 private:
  std::byte* system_allocate(MemoryKind /*kind*/, size_t size_bytes) override {
    return static_cast<std::byte*>(::operator new(size_bytes, kAlignment, std::nothrow));
  }
  void system_free(MemoryKind /*kind*/, std::byte* begin, size_t /*size_bytes*/) noexcept override {
    ::operator delete(begin, kAlignment);
  }
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend() {
  return std::make_shared<CpuBackend>();
}

}  // namespace dflash
