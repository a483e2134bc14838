// BoundedQueue: how two threads of one process meet. Bounded, ordered, closable; the first error sticks.
//
// The producer calls push until it is done, then close(); the consumer pops until `closed`. close(error) from either
// side wakes both: from then on every call rethrows that error (after close() without error, what is queued is still
// popped).
//
// Threading: any number of producers and consumers. A blocked call sleeps. Owns: the queued items.
// Limits: items move without throwing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>

#include "common/base/deadline.h"
#include "common/base/error.h"

namespace dflash {

enum class QueueStatus { ok, timeout, closed };

template <typename T>
class BoundedQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);

 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {
    if (capacity == 0) throw Error(ErrorKind::internal, "a queue of capacity 0 could never be pushed to");
  }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Waits for room. On timeout or closed `item` is untouched.
  [[nodiscard]] QueueStatus push(T&& item, Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!room_.wait_until(lock, deadline.when(), [this] { return closed_ || items_.size() < capacity_; })) {
      return QueueStatus::timeout;
    }
    rethrow_error();
    if (closed_) return QueueStatus::closed;
    items_.push_back(std::move(item));
    filled_.notify_one();
    return QueueStatus::ok;
  }

  /// Waits for an item; `closed` only when the queue is closed and empty.
  [[nodiscard]] QueueStatus pop(T& item, Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!filled_.wait_until(lock, deadline.when(), [this] { return closed_ || !items_.empty(); })) {
      return QueueStatus::timeout;
    }
    rethrow_error();
    if (items_.empty()) return QueueStatus::closed;
    item = std::move(items_.front());
    items_.pop_front();
    room_.notify_one();
    return QueueStatus::ok;
  }

  /// The first error counts, also after a close() without one. With an error, queued items are dropped.
  void close(std::exception_ptr error = nullptr) {
    std::deque<T> dropped;  // destroyed after the lock is gone: an item's destructor may take its time, or other locks
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (!error_ && error) {
      error_ = std::move(error);
      dropped.swap(items_);
    }
    room_.notify_all();
    filled_.notify_all();
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
  mutable std::mutex mutex_;        // guards everything below
  std::condition_variable room_;    // an item left, or closed
  std::condition_variable filled_;  // an item came, or closed
  std::deque<T> items_;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace dflash
