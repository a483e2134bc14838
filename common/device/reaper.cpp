#include "common/device/reaper.h"

#include <chrono>
#include <utility>

#include "common/device/test_faults.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kLookEvery{1};

void give_back(std::unique_ptr<HeldThings> held) noexcept {
  held->settle(held->fence->failed() ? UseState::poisoned : UseState::landed);
}

/// The number of things given back.
size_t give_back_list(std::unique_ptr<HeldThings> list) noexcept {
  size_t count = 0;
  while (list) {
    std::unique_ptr<HeldThings> next = std::move(list->next);
    give_back(std::move(list));
    list = std::move(next);
    ++count;
  }
  return count;
}

/// Never frees it: the device may still use that memory.
void leave(std::unique_ptr<HeldThings> held) noexcept {
  [[maybe_unused]] const HeldThings* left = held.release();
}

bool may_go(const HeldThings& held) {
  return held.fence->passed() || has_fault(DeviceFault::credit_by_timer);
}

}  // namespace

Reaper::Reaper() : thread_([this] { loop(); }) {}

Reaper::~Reaper() {
  close(Deadline::after(std::chrono::seconds(0)));
}

void Reaper::hold(std::unique_ptr<HeldThings> held) noexcept {
  if (held->fence->passed()) {
    give_back(std::move(held));
    return;
  }
  const std::lock_guard lock(mutex_);
  held->next = std::move(first_);
  first_ = std::move(held);
  ++held_count_;
  if (closed_) {
    leave(std::move(first_));  // nobody is left to see its fence pass
  } else {
    came_.notify_one();
  }
}

bool Reaper::drain(Deadline deadline) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_until(lock, deadline.when(), [this] { return held_count_ == 0; });
}

size_t Reaper::close(Deadline deadline) noexcept {
  if (!has_fault(DeviceFault::reaper_dropped_at_close)) static_cast<void>(drain(deadline));
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    came_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  if (has_fault(DeviceFault::reaper_dropped_at_close)) held_count_ -= give_back_list(std::move(first_));
  leave(std::move(first_));
  return held_count_;
}

size_t Reaper::held_count() const {
  const std::lock_guard lock(mutex_);
  return held_count_;
}

void Reaper::take_passed(std::unique_ptr<HeldThings>& passed) noexcept {
  for (std::unique_ptr<HeldThings>* link = &first_; *link != nullptr;) {
    if (may_go(**link)) {
      std::unique_ptr<HeldThings> held = std::move(*link);
      *link = std::move(held->next);
      held->next = std::move(passed);
      passed = std::move(held);
    } else {
      link = &(*link)->next;
    }
  }
}

void Reaper::loop() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (!first_) {
      came_.wait(lock);
      continue;
    }
    std::unique_ptr<HeldThings> passed;
    take_passed(passed);
    const std::optional<Fence> any = passed ? std::nullopt : first_->fence;
    lock.unlock();
    if (any) static_cast<void>(any->wait_passed(Deadline::after(kLookEvery)));
    const size_t count = give_back_list(std::move(passed));
    lock.lock();
    held_count_ -= count;
    if (held_count_ == 0) emptied_.notify_all();
  }
}

}  // namespace dflash
