// NcclSlots: the slots of one end of a nccl channel, in memory of its device.
//
// Frame i (0, 1, 2, ...) lives in slot i mod count. Only payloads lie here; headers travel with the offers.
//
// Threading: any; constant. Owns: a share of the memory, together with the slots that are out.
#pragma once

#include <memory>

#include "common/channel/channel.h"
#include "common/device/device.h"

namespace dflash {

class NcclSlots {
 public:
  /// Error{no_space}.
  NcclSlots(Device& device, MemoryKind kind, size_t slot_bytes, size_t count)
      : slot_bytes_(slot_bytes),
        count_(count),
        memory_(std::make_shared<const DeviceMemory>(device.make_memory(kind, count * stride_bytes()))) {}

  [[nodiscard]] std::span<std::byte> payload(uint64_t index) const {
    return memory_->bytes().subspan(index % count_ * stride_bytes(), slot_bytes_);
  }
  /// To be written to, by the sender's program or by a transfer.
  [[nodiscard]] SendSlot slot(uint64_t index) const { return {payload(index), memory_, memory_->kind()}; }
  [[nodiscard]] size_t count() const { return count_; }
  [[nodiscard]] size_t slot_bytes() const { return slot_bytes_; }
  [[nodiscard]] const std::shared_ptr<const DeviceMemory>& memory() const { return memory_; }

 private:
  [[nodiscard]] size_t stride_bytes() const { return (slot_bytes_ + 63) / 64 * 64; }

  const size_t slot_bytes_;
  const size_t count_;
  const std::shared_ptr<const DeviceMemory> memory_;
};

}  // namespace dflash
