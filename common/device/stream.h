// Stream: work of a device that is done in the order of submission; Fence: a point in it.
//
//   Stream copies = device.make_stream("copy-in");
//   ... copy_async(copies, ...) ...                        in_flight.h
//   Fence fence = copies.record();                         passes when all of the above is over
//   compute.wait(fence);                                   later work of `compute` comes after it; no thread waits
//   fence.wait(deadline);                                  this thread waits
//
// A fence can only be made by record(), so none lies before the work it stands for.
//
// Threading: any thread; what two threads submit to one stream is ordered by chance. Not from inside a kernel.
// Errors: the first failed operation of a stream is kept, later ones are skipped, and every fence from there on throws
// that error where it is waited for; a stream that waits for such a fence takes the error over.
// Owns: nothing a program must order: streams, fences and buffers may outlive their Device and each other.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "common/base/deadline.h"
#include "common/device/backend.h"

namespace dflash {

class Reaper;
struct StreamCore;

class Fence {
 public:
  /// Everything before it is over, well or not.
  [[nodiscard]] bool passed() const noexcept { return state_->passed(); }
  /// Returns when it has passed and all went well. Error{stall} that names stream and operation at the deadline; the
  /// stream's error when an operation failed.
  void wait(Deadline deadline) const;
  /// Waits; the value of passed() at the end.
  [[nodiscard]] bool wait_passed(Deadline deadline) const noexcept { return state_->wait_until(deadline); }
  /// It has passed, and an operation of the stream failed.
  [[nodiscard]] bool failed() const noexcept { return state_->error() != nullptr; }

 private:
  friend struct StreamCore;
  Fence(FencePtr state, std::shared_ptr<const std::string> stream, uint64_t operation)
      : state_(std::move(state)), stream_(std::move(stream)), operation_(operation) {}

  FencePtr state_;
  std::shared_ptr<const std::string> stream_;  // its name
  uint64_t operation_;                         // how many were submitted up to here
};

/// What a stream is made of; shared by all that is under way on it. Internal to this room.
struct StreamCore {
  [[nodiscard]] Fence copy(const CopyJob& job) { return fence(queue->copy(job)); }
  [[nodiscard]] Fence launch(std::function<void()> kernel) { return fence(queue->launch(std::move(kernel))); }
  [[nodiscard]] Fence record() { return fence(queue->record()); }
  void wait(const Fence& awaited) { queue->wait(awaited.state_); }

  std::shared_ptr<const std::string> name;
  std::shared_ptr<Backend> backend;  // before queue, which needs it to the end
  std::shared_ptr<Reaper> reaper;
  std::unique_ptr<StreamQueue> queue;
  std::atomic<uint64_t> submitted{0};

 private:
  [[nodiscard]] Fence fence(FencePtr state) noexcept { return {std::move(state), name, ++submitted}; }
};

class Stream {
 public:
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&&) noexcept = default;

  /// Passes when everything submitted so far is over.
  [[nodiscard]] Fence record() { return core_->record(); }
  /// What is submitted from now on begins after `fence`, of any stream of the same device. Does not block.
  void wait(const Fence& fence) { core_->wait(fence); }
  [[nodiscard]] const std::string& name() const { return *core_->name; }

 private:
  friend class Device;
  friend class DeviceAccess;
  explicit Stream(std::shared_ptr<StreamCore> core) : core_(std::move(core)) {}

  std::shared_ptr<StreamCore> core_;
};

}  // namespace dflash
