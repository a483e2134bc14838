// PoolBlocks: the memory of a pool and which of its blocks are free. Internal to this room: programs use pool.h.
//
// Blocks are used in the order in which they were freed, and after them `resting_blocks` of the back-end must have been
// freed: on a simulated device memory that was freed stays unused for a while, so that a late reader meets NaN, not the
// next owner's bytes.
//
// Threading: any thread. Owns: the blocks. Allocates all of them at the start and nothing later.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/device/backend.h"

namespace dflash {

struct PoolShape {
  std::string name;  ///< as it stands in messages
  MemoryKind kind = MemoryKind::plain;
  size_t block_bytes = 0;
  size_t block_count = 0;  ///< that can be out at once
};

/// First in, first out, of a fixed capacity.
class BlockRing {
 public:
  explicit BlockRing(size_t capacity) : blocks_(capacity) {}
  void push(size_t block) noexcept;
  [[nodiscard]] size_t pop() noexcept;
  [[nodiscard]] size_t size() const { return size_; }

 private:
  std::vector<size_t> blocks_;
  size_t first_ = 0;
  size_t size_ = 0;
};

class PoolBlocks {
 public:
  /// Error{internal} for a shape no pool can have, {no_space}.
  PoolBlocks(std::shared_ptr<Backend> backend, PoolShape shape);
  ~PoolBlocks();
  PoolBlocks(const PoolBlocks&) = delete;
  PoolBlocks& operator=(const PoolBlocks&) = delete;

  /// Nothing when no block became free in time.
  [[nodiscard]] std::optional<size_t> take(Deadline deadline);
  void give_back(size_t block) noexcept;
  void lose() noexcept { ++backend_->counters().lost_blocks; }

  [[nodiscard]] std::span<std::byte> bytes(size_t block) const { return {blocks_[block], shape_.block_bytes}; }
  [[nodiscard]] const PoolShape& shape() const { return shape_; }
  [[nodiscard]] size_t free_count() const;

 private:
  void free_all() noexcept;

  const std::shared_ptr<Backend> backend_;
  const PoolShape shape_;
  const size_t resting_;
  std::vector<std::byte*> blocks_;  // constant after construction
  mutable std::mutex mutex_;        // guards free_
  std::condition_variable freed_;
  BlockRing free_;
};

}  // namespace dflash
