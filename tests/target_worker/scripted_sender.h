// A sender that keeps what it is given, and refuses when the test says so.
#pragma once

#include <ATen/ATen.h>

#include <deque>
#include <thread>

#include "common/channel/channel.h"

namespace dflash {

class ScriptedSender : public Sender {
 public:
  explicit ScriptedSender(size_t slot_bytes) : slot_bytes_(static_cast<int64_t>(slot_bytes)) {}

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override {
    if (on_acquire == ChannelStatus::timeout) std::this_thread::sleep_for(deadline.remaining());
    if (on_acquire != ChannelStatus::ok) return {on_acquire, SendSlot()};
    slots_.push_back(at::full({slot_bytes_}, 0xAB, at::kByte));  // a slot holds what was in it before
    return {ChannelStatus::ok, SendSlot(bytes_of(slots_.back()), nullptr)};
  }
  ChannelStatus send(SendSlot&& slot) override {
    EXPECT_EQ(slot.bytes().data(), bytes_of(slots_.back()).data());
    return on_send;
  }
  ChannelStatus finish(Deadline deadline) override {
    if (on_finish == ChannelStatus::timeout) std::this_thread::sleep_for(deadline.remaining());
    finished = true;
    return on_finish;
  }

  [[nodiscard]] size_t slot_count() const { return slots_.size(); }
  [[nodiscard]] std::span<std::byte> slot(size_t index) const { return bytes_of(slots_[index]); }

  ChannelStatus on_acquire = ChannelStatus::ok, on_send = ChannelStatus::ok, on_finish = ChannelStatus::ok;
  bool finished = false;

 private:
  static std::span<std::byte> bytes_of(const at::Tensor& slot) {
    return {static_cast<std::byte*>(slot.data_ptr()), static_cast<size_t>(slot.numel())};
  }

  int64_t slot_bytes_;
  std::deque<at::Tensor> slots_;  // tensors, because their memory is 64-byte aligned
};

}  // namespace dflash
