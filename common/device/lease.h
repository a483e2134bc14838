// Lease<Slot>: the right to one slot of a ring, given back when it is destroyed and no device touches the slot any
// more.
//
// A ring that lends slots is a SlotHome; it makes each lease itself:
//
//   Landed<Lease<RingSlot>> lease = Lease<RingSlot>::of(home, slot);
//   ... copy_async(stream, std::move(buffer), std::move(lease)) ...   as with a Buffer: landed.h
//
// A Slot is a small value with `std::span<std::byte> bytes() const` and `MemoryKind memory_kind() const`; its memory is
// the home's. Credits count completions, never time: a lease that is dropped in flight waits in the reaper.
//
// Threading: one thread at a time; may be destroyed on any. Owns: the slot, and a share of its home.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include "common/device/landed.h"
#include "common/device/test_faults.h"

namespace dflash {

/// In which state a slot comes home.
enum class SlotEnd {
  landed,
  poisoned,  ///< an operation on it failed: its bytes mean nothing
};

template <typename Slot>
class SlotHome {
 public:
  virtual ~SlotHome() = default;
  /// On whatever thread the lease ends, the reaper's among them; quickly. Once for each lease.
  virtual void take_back(const Slot& slot, SlotEnd end) noexcept = 0;
};

template <typename Slot>
concept DeviceSlot = std::is_nothrow_move_constructible_v<Slot> && requires(const Slot& slot) {
  { slot.bytes() } -> std::same_as<std::span<std::byte>>;
  { slot.memory_kind() } -> std::same_as<MemoryKind>;
};

template <typename Slot>
class Lease {
  static_assert(DeviceSlot<Slot>);

 public:
  /// For homes. No device may touch the slot.
  [[nodiscard]] static Landed<Lease> of(std::shared_ptr<SlotHome<Slot>> home, Slot slot) {
    return Landed<Lease>(Lease(std::move(home), std::move(slot)));
  }
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    home_ = std::move(other.home_);
    slot_ = std::move(other.slot_);
    state_ = other.state_;
    return *this;
  }
  ~Lease() { give_back(); }

  [[nodiscard]] const Slot& slot() const { return slot_; }
  [[nodiscard]] MemoryKind memory_kind() const { return slot_.memory_kind(); }

 private:
  friend class DeviceAccess;
  Lease(std::shared_ptr<SlotHome<Slot>> home, Slot slot) : home_(std::move(home)), slot_(std::move(slot)) {}

  /// Empty when it was moved from.
  [[nodiscard]] std::span<std::byte> bytes() const { return home_ ? slot_.bytes() : std::span<std::byte>(); }
  void set_state(UseState state) noexcept {
    state_ = state;
    if (state == UseState::in_flight && has_fault(DeviceFault::slot_released_at_submit)) {
      state_ = UseState::landed;
      give_back();
    }
  }
  void give_back() noexcept {
    if (!home_ || state_ == UseState::in_flight) return;  // in flight it stays out: a lost credit, not a lost batch
    const SlotEnd end = state_ == UseState::poisoned ? SlotEnd::poisoned : SlotEnd::landed;
    home_->take_back(slot_, end);
    if (has_fault(DeviceFault::slot_released_twice)) home_->take_back(slot_, end);
    home_.reset();
  }

  std::shared_ptr<SlotHome<Slot>> home_;  // null when moved from
  Slot slot_;
  UseState state_ = UseState::landed;
};

}  // namespace dflash
