#include "common/nccl/slot_transfer.h"

#include <algorithm>
#include <chrono>

#include "common/base/format.h"

namespace dflash {
namespace {
constexpr std::chrono::milliseconds kLookEvery{20};  // for an error that comes while the device is waited for
}

void TransferState::set_enqueued(Fence end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

void TransferState::fail(const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  changed_.notify_all();
}

bool TransferState::failed() const {
  const std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

bool TransferState::over() const {
  const std::lock_guard lock(mutex_);
  return error_ || (end_ && end_->passed());
}

void TransferState::rethrow_error() const {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

Fence TransferState::wait_enqueued(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, deadline.when(), [this] { return end_ || error_; })) {
    throw Error(ErrorKind::stall, format("{}: the communication thread has not begun it in time", what_));
  }
  if (error_) std::rethrow_exception(error_);
  return *end_;
}

void TransferState::await(Deadline deadline) {
  const Fence end = wait_enqueued(deadline);
  while (!end.wait_passed(Deadline::after(std::min<std::chrono::nanoseconds>(deadline.remaining(), kLookEvery)))) {
    rethrow_error();
    if (deadline.expired()) throw Error(ErrorKind::stall, format("{}: not done in time", what_));
  }
  rethrow_error();  // an abort ends a transfer too, undone
}

}  // namespace dflash
