// Backend: what a kind of device must be able to do. A new one (cpu_backend.h and sim_backend.h are the examples) is
// one class of each of these three, and a maker in device.h. Programs use device.h, never this.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/device/memory_kind.h"

namespace dflash {

/// A point in the work of one stream.
class FenceState {
 public:
  virtual ~FenceState() = default;
  /// Everything submitted to the stream before it is over, well or with an error: the device touches none of it again.
  [[nodiscard]] virtual bool passed() const noexcept = 0;
  /// Waits; the value of passed() at the end.
  [[nodiscard]] virtual bool wait_until(Deadline deadline) const noexcept = 0;
  /// Once passed: the first error of the stream up to here, or null.
  [[nodiscard]] virtual std::exception_ptr error() const noexcept = 0;
};
using FencePtr = std::shared_ptr<const FenceState>;

struct CopyJob {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  size_t size_bytes = 0;
};

/// The work of one stream, done in the order of submission. The first error sticks: what was submitted after it is
/// skipped. Each submission is enqueued and its fence recorded as one: when a call throws, nothing was enqueued.
/// What is queued is done even when the queue object is gone.
class StreamQueue {
 public:
  virtual ~StreamQueue() = default;
  [[nodiscard]] virtual FencePtr copy(const CopyJob& job) = 0;
  [[nodiscard]] virtual FencePtr launch(std::function<void()> kernel) = 0;
  [[nodiscard]] virtual FencePtr record() = 0;
  /// Later work of this stream begins after `fence` of the same back-end, and takes over its error.
  virtual void wait(FencePtr fence) = 0;
};

/// Counts since the start.
struct MemoryCounters {
  std::atomic<uint64_t> allocator_calls{0};   ///< to the system or the driver, both ways
  std::atomic<uint64_t> allocated_bytes{0};   ///< held now
  std::atomic<uint64_t> lost_blocks{0};       ///< destroyed while in flight, so never used again: a bug of this room
  std::atomic<uint64_t> registered_bytes{0};  ///< of host memory of others, now
  std::atomic<uint64_t> released_in_use{0};   ///< registrations that ended while a copy used the memory: a bug
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// 64-byte aligned. Error{no_space}.
  [[nodiscard]] std::byte* allocate(MemoryKind kind, size_t size_bytes);
  void deallocate(MemoryKind kind, std::byte* begin, size_t size_bytes) noexcept;
  [[nodiscard]] MemoryCounters& counters() { return counters_; }

  /// Copies from and to this memory of somebody else's are as those of pinned memory. Error{internal} for nothing, and
  /// when a part of it is registered; {no_space} when it cannot be locked.
  void register_host(std::span<std::byte> memory);
  void unregister_host(std::span<std::byte> memory) noexcept;

  [[nodiscard]] virtual std::unique_ptr<StreamQueue> make_queue() = 0;

  /// Its kernels work in the host's memory: nothing need be copied.
  [[nodiscard]] virtual bool shares_host_memory() const { return false; }
  /// How many freed blocks of each pool rest before one is used again.
  [[nodiscard]] virtual size_t resting_blocks() const { return 0; }
  /// A block leaves its pool. Error{internal} when it was written to while it was free.
  virtual void block_taken(std::span<std::byte> /*block*/) const {}
  /// A block is free again.
  virtual void block_freed(std::span<std::byte> /*block*/) const noexcept {}
  /// Idle memory is about to be written by a copy.
  virtual void destination_submitted(std::span<std::byte> /*destination*/) const noexcept {}

 private:
  virtual std::byte* system_allocate(MemoryKind kind, size_t size_bytes) = 0;  // null when there is no room
  virtual void system_free(MemoryKind kind, std::byte* begin, size_t size_bytes) noexcept = 0;
  virtual void system_register(std::span<std::byte> /*memory*/) {}
  /// False when a copy was still using it.
  [[nodiscard]] virtual bool system_unregister(std::span<std::byte> /*memory*/) noexcept { return true; }

  MemoryCounters counters_;
  std::mutex registered_mutex_;  // guards registered_
  std::vector<std::span<std::byte>> registered_;
};

}  // namespace dflash
