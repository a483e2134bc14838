// DeviceAccess: the one door to the bytes of a buffer or slot. Only the states of this room (Landed, InFlight,
// OnStream) and its two operations (copy, launch) have the key, so that no pointer to memory in flight reaches a
// program.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "common/device/memory_kind.h"
#include "common/device/stream.h"

namespace dflash {

/// Of one owner of bytes (a Buffer, a Lease). One that is destroyed in flight gives nothing back: better a block lost
/// than one that is written to after it was freed.
enum class UseState {
  landed,     ///< no device touches it
  in_flight,  ///< the device may read or write it
  poisoned,   ///< no device touches it, but an operation on it failed: its bytes mean nothing
};

class DeviceAccess {
 private:
  template <typename>
  friend class Landed;
  template <typename>
  friend class OnStream;
  template <typename, typename>
  friend class InFlight;
  template <typename...>
  friend struct Held;
  friend struct DeviceOperations;

  template <typename T>
  static std::span<std::byte> bytes(const T& thing) {
    return thing.bytes();
  }
  template <typename T>
  static void set_state(T& thing, UseState state) noexcept {
    thing.set_state(state);
  }
  template <typename T>
  static void take_other_block(T& thing) {
    thing.take_other_block();
  }
  static const std::shared_ptr<StreamCore>& core(const Stream& stream) { return stream.core_; }
};

/// What these types carry: a move-only owner of bytes.
template <typename T>
concept BytesOwner =
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> && !std::is_copy_constructible_v<T>;

}  // namespace dflash
