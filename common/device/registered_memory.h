// RegisteredMemory: host memory of somebody else's, a shared ring say, that the device may copy from and to as it does
// with its own pinned memory, for as long as this object lives.
//
//   class Ring : public SlotHome<RingSlot> {
//     Mapping memory_;
//     RegisteredMemory registered_;  // = device.register_host(memory_.bytes()); behind the memory, so gone before it
//   };
//
// Right:  in the object that lends the slots: every lease keeps it alive until the device is past the slot.
// Wrong:  in a scope that ends while copies run. A simulated device then fails the streams of those copies with
//         Error{internal}, and counts it in DeviceStats::released_in_use.
//
// Each process registers its own mapping of shared memory, once for the whole of it: registering costs a page walk.
//
// Threading: one thread at a time; may be destroyed on any. Owns: the registration, not the memory; a share of the
// device.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "common/device/backend.h"

namespace dflash {

class RegisteredMemory {
 public:
  /// Of nothing.
  RegisteredMemory() = default;
  RegisteredMemory(RegisteredMemory&& other) noexcept
      : backend_(std::move(other.backend_)), memory_(std::exchange(other.memory_, {})) {}
  RegisteredMemory& operator=(RegisteredMemory&& other) noexcept {
    if (this == &other) return *this;
    end();
    backend_ = std::move(other.backend_);
    memory_ = std::exchange(other.memory_, {});
    return *this;
  }
  ~RegisteredMemory() { end(); }

 private:
  friend class Device;
  RegisteredMemory(std::shared_ptr<Backend> backend, std::span<std::byte> memory)
      : backend_(std::move(backend)), memory_(memory) {
    backend_->register_host(memory_);
  }
  void end() noexcept {
    if (backend_) backend_->unregister_host(memory_);
    backend_.reset();
  }

  std::shared_ptr<Backend> backend_;  // null when it stands for nothing
  std::span<std::byte> memory_;
};

}  // namespace dflash
