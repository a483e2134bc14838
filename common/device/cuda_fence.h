// CudaFence: a fence of the cuda back-end, on an event that is used again after it; CudaEvents: the events.
//
// Threading: any thread. Owns: a fence its event, and a share of all events, so that it may outlive stream and device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "common/device/backend.h"

struct CUevent_st;  // what cudaEvent_t and cudaStream_t point to
struct CUstream_st;

namespace dflash {

/// Grows to the most fences that are alive at once; afterwards no fence costs a call to the driver but its own.
class CudaEvents {
 public:
  explicit CudaEvents(int ordinal) : ordinal_(ordinal) {}
  ~CudaEvents();
  CudaEvents(const CudaEvents&) = delete;
  CudaEvents& operator=(const CudaEvents&) = delete;

  [[nodiscard]] CUevent_st* take();
  void give_back(CUevent_st* event) noexcept;
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  const int ordinal_;
  std::mutex mutex_;  // guards what follows
  std::vector<CUevent_st*> free_;
  size_t made_ = 0;  // the capacity of free_ is at least this: giving back allocates nothing
};

class CudaFence final : public FenceState {
 public:
  explicit CudaFence(std::shared_ptr<CudaEvents> events) : events_(std::move(events)), event_(events_->take()) {}
  ~CudaFence() override { events_->give_back(event_); }
  CudaFence(const CudaFence&) = delete;
  CudaFence& operator=(const CudaFence&) = delete;

  /// Once, before anybody else sees it: it passes when the stream is past what was enqueued so far, with `error`.
  void record(CUstream_st* stream, std::exception_ptr error);
  /// What `stream` does from now on comes after it. The code CUDA answers.
  [[nodiscard]] int make_wait(CUstream_st* stream) const;
  /// The error of the stream when it was recorded: known before it passes.
  [[nodiscard]] const std::exception_ptr& recorded_error() const { return recorded_error_; }

  [[nodiscard]] bool passed() const noexcept override;
  /// Looks again and again: CUDA has no wait with a deadline. The pauses are an eighth of the time waited, 1 ms at
  /// most.
  [[nodiscard]] bool wait_until(Deadline deadline) const noexcept override;
  [[nodiscard]] std::exception_ptr error() const noexcept override;

 private:
  const std::shared_ptr<CudaEvents> events_;
  CUevent_st* const event_;
  std::exception_ptr recorded_error_;
  mutable std::atomic<bool> passed_{false};
  mutable std::mutex mutex_;  // guards device_error_
  mutable std::exception_ptr device_error_;
};

}  // namespace dflash
