// BoundedQueue: how two threads of one process meet. Bounded, ordered, closable; the first error sticks.
//
// The producer calls push until it is done, then close(); the consumer pops until `closed`. close(error) from either side
// wakes both: from then on every call rethrows that error (after close() without error, what is queued is still popped).
//
// Threading: any number of producers and consumers. A blocked call sleeps. Owns: the queued items.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "common/base/deadline.h"

namespace dflash {

enum class QueueStatus { ok, timeout, closed };

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Waits for room. On timeout or closed `item` is untouched.
  [[nodiscard]] QueueStatus push(T&& item, Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline.when(), [this] { return closed_ || items_.size() < capacity_; })) {
      return QueueStatus::timeout;
    }
    rethrow_error();
    if (closed_) return QueueStatus::closed;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return QueueStatus::ok;
  }

  /// Waits for an item; `closed` only when the queue is closed and empty.
  [[nodiscard]] QueueStatus pop(T& item, Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline.when(), [this] { return closed_ || !items_.empty(); })) {
      return QueueStatus::timeout;
    }
    rethrow_error();
    if (items_.empty()) return QueueStatus::closed;
    item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return QueueStatus::ok;
  }

  /// The first call counts. With an error, queued items are dropped and both ends rethrow it.
  void close(std::exception_ptr error = nullptr) {
    const std::lock_guard lock(mutex_);
    if (closed_ && (error_ || !error)) return;
    closed_ = true;
    error_ = error;
    if (error_) items_.clear();
    changed_.notify_all();
  }

  [[nodiscard]] size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // guards nothing: signalled on every change of the members below, under mutex_
  std::deque<T> items_;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace dflash
