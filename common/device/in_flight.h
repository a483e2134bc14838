// InFlight<Src, Dst>: a copy under way, and the owner of both its sides until the device is past it.
//
// The ways out: land() waits and gives both back; then() hands the destination to another stream without waiting, and
// the source back to its pool when it has been read. Dropping it is safe too: both are freed when the device is past
// them.
//
// Threading: one thread at a time; may be moved to another and destroyed on any. Owns: both sides.
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include "common/device/on_stream.h"

namespace dflash {

template <typename Src, typename Dst>
class [[nodiscard]] InFlight {
 public:
  InFlight(InFlight&&) noexcept = default;
  InFlight& operator=(InFlight&&) noexcept = default;

  /// Waits until the copy is done. Error{stall} at the deadline, after which it may be tried again; the stream's error
  /// when an operation failed.
  [[nodiscard]] std::pair<Landed<Src>, Landed<Dst>> land(Deadline deadline) && {
    auto [src, dst] = custody_.wait(deadline);
    return {Landed<Src>(std::move(src)), Landed<Dst>(std::move(dst))};
  }
  /// What `stream` does with the destination begins when the copy is done. Does not block.
  [[nodiscard]] OnStream<Dst> then(Stream& stream) && {
    const auto& core = DeviceAccess::core(stream);
    const Fence copied = custody_.fence();
    Custody<Dst> destination(core->reaper);
    core->wait(has_fault(DeviceFault::fence_on_wrong_stream) ? core->record() : copied);
    destination.begin(copied, std::move(custody_.template get<1>()));
    if (has_fault(DeviceFault::reused_source)) free_source();
    custody_.drop();  // the source, when it has been read
    return OnStream<Dst>(core, std::move(destination));
  }
  /// The copy is done: land() would not wait.
  [[nodiscard]] bool passed() const { return custody_.fence().passed(); }

 private:
  friend struct DeviceOperations;
  explicit InFlight(Custody<Src, Dst> custody) : custody_(std::move(custody)) {}
  /// What must never happen.
  void free_source() noexcept {
    DeviceAccess::set_state(custody_.template get<0>(), UseState::landed);
    const Src freed = std::move(custody_.template get<0>());
  }

  Custody<Src, Dst> custody_;
};

}  // namespace dflash
