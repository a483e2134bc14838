// DeviceMemory: one piece of a device's memory, for somebody who lends slots of it.
//
//   class Ring : public SlotHome<RingSlot> {
//     DeviceMemory memory_;  // = device.make_memory(MemoryKind::device, bytes); every lease keeps it alive
//   };
//
// Of MemoryKind::device, bytes() is an address and no host view: the slots say so (Lease, memory_kind()).
//
// Threading: one thread at a time; may be destroyed on any, when no device works on it. Owns: the memory; a share of
// the device, which it may outlive.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "common/device/backend.h"

namespace dflash {

class DeviceMemory {
 public:
  DeviceMemory(DeviceMemory&& other) noexcept
      : backend_(std::move(other.backend_)), bytes_(std::exchange(other.bytes_, {})), kind_(other.kind_) {}
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory() {
    if (backend_) backend_->deallocate(kind_, bytes_.data(), bytes_.size());
  }

  /// 64-byte aligned; what they hold at first is undefined.
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] MemoryKind kind() const { return kind_; }

 private:
  friend class Device;
  DeviceMemory(std::shared_ptr<Backend> backend, MemoryKind kind, size_t size_bytes)
      : backend_(std::move(backend)), bytes_(backend_->allocate(kind, size_bytes), size_bytes), kind_(kind) {}

  std::shared_ptr<Backend> backend_;  // null when moved from
  std::span<std::byte> bytes_;
  MemoryKind kind_;
};

}  // namespace dflash
