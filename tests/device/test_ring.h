// TestRing: a ring that lends slots of its own memory and counts what comes back.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "common/device/lease.h"

namespace dflash {

struct TestSlot {
  std::byte* begin = nullptr;
  size_t size_bytes = 0;
  size_t index = 0;
  [[nodiscard]] std::span<std::byte> bytes() const { return {begin, size_bytes}; }
  [[nodiscard]] MemoryKind memory_kind() const { return MemoryKind::pinned; }
};

class TestRing final : public SlotHome<TestSlot>, public std::enable_shared_from_this<TestRing> {
 public:
  explicit TestRing(size_t slot_bytes = 1000) : memory_(slot_bytes) {}
  [[nodiscard]] Landed<Lease<TestSlot>> lend() {
    return Lease<TestSlot>::of(shared_from_this(), {memory_.data(), memory_.size(), 3});
  }
  void take_back(const TestSlot& slot, SlotEnd end) noexcept override {
    if (slot.index != 3 || slot.bytes().data() != memory_.data()) ++strange_;
    ++(end == SlotEnd::landed ? landed_ : poisoned_);
  }
  [[nodiscard]] int landed() const { return landed_; }
  [[nodiscard]] int poisoned() const { return poisoned_; }
  [[nodiscard]] int strange() const { return strange_; }

 private:
  std::vector<std::byte> memory_;
  std::atomic<int> landed_{0};
  std::atomic<int> poisoned_{0};
  std::atomic<int> strange_{0};
};

}  // namespace dflash
