// ByteBudget: how many bytes may be on their way between threads.
//
// Threading: any number of threads; a blocked call sleeps.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace dflash {

class ByteBudget {
 public:
  explicit ByteBudget(int64_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  /// Waits until so many more fit, or nothing is on its way: what is larger than the limit travels alone. False once it
  /// is closed.
  [[nodiscard]] bool take(int64_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || taken_ == 0 || taken_ + bytes <= limit_; });
    taken_ += closed_ ? 0 : bytes;
    return !closed_;
  }
  void give_back(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
    changed_.notify_all();
  }
  /// Wakes those who wait.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const int64_t limit_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int64_t taken_ = 0;
  bool closed_ = false;
};

}  // namespace dflash
