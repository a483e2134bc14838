// Pool: blocks of one size and kind, all allocated at the start.
//
//   Pool pool = device.make_pool({"captures", MemoryKind::device, bytes, 2});
//   std::optional<Landed<Buffer>> buffer = pool.take(deadline);
//
// A free block is the credit, its absence the backpressure. Threading: any thread. Owns: the blocks, together with the
// buffers that are out.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "common/device/buffer.h"
#include "common/device/landed.h"
#include "common/device/pool_blocks.h"

namespace dflash {

class Pool {
 public:
  /// Waits for a free block; nothing when the deadline passed first. What it holds is undefined (NaN on a simulated
  /// device). Error{internal} when such a device sees that it was written to while it was free.
  [[nodiscard]] std::optional<Landed<Buffer>> take(Deadline deadline) {
    const std::optional<size_t> block = blocks_->take(deadline);
    if (!block) return std::nullopt;
    return Landed<Buffer>(Buffer(blocks_, *block));
  }

  /// How many take() would give at once.
  [[nodiscard]] size_t free_count() const { return blocks_->free_count(); }
  [[nodiscard]] const PoolShape& shape() const { return blocks_->shape(); }

 private:
  friend class Device;
  explicit Pool(std::shared_ptr<PoolBlocks> blocks) : blocks_(std::move(blocks)) {}

  std::shared_ptr<PoolBlocks> blocks_;
};

}  // namespace dflash
