// Buffer: a block of a Pool, owned by whoever holds it, given back when it is destroyed.
//
// A program never meets one alone but in one of its states, which say what may be done with it:
//
//   Landed<Buffer>            pool.take(); the host may read and write            landed.h
//   InFlight<Buffer, Buffer>  copy_async(); nobody may                            in_flight.h
//   OnStream<Buffer>          kernels of one stream may, launch()                 on_stream.h
//
// Threading: one thread at a time; may be destroyed on any. Owns: the block, and a share of its pool's memory, so that
// it may outlive pool and device.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "common/device/device_access.h"

namespace dflash {

class PoolBlocks;

class Buffer {
 public:
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer() { give_back(); }

  /// 0 when it was moved from.
  [[nodiscard]] size_t size_bytes() const { return bytes_.size(); }
  [[nodiscard]] MemoryKind memory_kind() const { return kind_; }

 private:
  friend class DeviceAccess;
  friend class Pool;
  Buffer(std::shared_ptr<PoolBlocks> home, size_t block);
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  void set_state(UseState state) noexcept { state_ = state; }
  void give_back() noexcept;
  /// What must never happen.
  void take_other_block();

  std::shared_ptr<PoolBlocks> home_;  // null when moved from
  size_t block_;
  std::span<std::byte> bytes_;
  MemoryKind kind_;
  UseState state_ = UseState::landed;
};

}  // namespace dflash
