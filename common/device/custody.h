// Custody<T...>: what the device may still use, together with the fence after which it does not. What InFlight and
// OnStream are made of; internal to this room.
//
// The only ways out are wait(), which waits for the fence, and take(), for another custody that begins where this one
// ends. Dropped, the things go to the reaper.
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include "common/base/error.h"
#include "common/device/reaper.h"
#include "common/device/test_faults.h"

namespace dflash {

template <typename... T>
class Custody {
 public:
  /// Empty, with all that begin() needs already allocated.
  explicit Custody(std::shared_ptr<Reaper> reaper)
      : reaper_(std::move(reaper)), held_(std::make_unique<Held<T...>>()) {}
  Custody(Custody&&) noexcept = default;
  Custody& operator=(Custody&& other) noexcept {
    drop();
    reaper_ = std::move(other.reaper_);
    held_ = std::move(other.held_);
    return *this;
  }
  ~Custody() { drop(); }

  /// From here on `things` are in flight until `fence`.
  void begin(const Fence& fence, T&&... things) noexcept {
    held_->owned.emplace(std::move(things)...);
    held_->fence = fence;
    held_->settle(UseState::in_flight);
  }
  /// They are used by more work, which ends at `fence`.
  void extend(const Fence& fence) noexcept { held_->fence = fence; }

  [[nodiscard]] bool holds() const { return held_ && held_->owned; }
  [[nodiscard]] const Fence& fence() const { return *checked().fence; }
  template <size_t index>
  [[nodiscard]] auto& get() {
    return std::get<index>(*checked().owned);
  }

  /// Waits, and gives the things out as landed. When the fence throws nothing has changed.
  [[nodiscard]] std::tuple<T...> wait(Deadline deadline) {
    if (has_fault(DeviceFault::abort_frees_in_flight) && !fence().wait_passed(deadline)) free_now();
    if (!has_fault(DeviceFault::early_destination_read)) fence().wait(deadline);
    checked().settle(UseState::landed);
    return take();
  }
  /// Gives them out in flight.
  [[nodiscard]] std::tuple<T...> take() noexcept {
    std::tuple<T...> things = std::move(*held_->owned);
    held_.reset();
    return things;
  }
  /// Leaves them to the reaper.
  void drop() noexcept {
    if (!holds()) return;
    if (has_fault(DeviceFault::destructor_skips_reaper)) return free_now();
    reaper_->hold(std::move(held_));
  }

 private:
  [[nodiscard]] Held<T...>& checked() const {
    if (!holds()) throw Error(ErrorKind::internal, "used after it was landed or handed on");
    return *held_;
  }
  /// What must never happen.
  void free_now() noexcept {
    held_->settle(UseState::landed);
    held_->owned.reset();
  }

  std::shared_ptr<Reaper> reaper_;
  std::unique_ptr<Held<T...>> held_;
};

}  // namespace dflash
