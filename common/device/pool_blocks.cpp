#include "common/device/pool_blocks.h"

#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/device/test_faults.h"

namespace dflash {

void BlockRing::push(size_t block) noexcept {
  blocks_[(first_ + size_) % blocks_.size()] = block;
  ++size_;
}

size_t BlockRing::pop() noexcept {
  const size_t block = blocks_[first_];
  const size_t wrapped = has_fault(DeviceFault::wrap_around) ? 1 % blocks_.size() : 0;
  first_ = first_ + 1 == blocks_.size() ? wrapped : first_ + 1;
  --size_;
  return block;
}

PoolBlocks::PoolBlocks(std::shared_ptr<Backend> backend, PoolShape shape)
    : backend_(std::move(backend)),
      shape_(std::move(shape)),
      resting_(backend_->resting_blocks()),
      free_(shape_.block_count + resting_) {
  if (shape_.block_bytes == 0 || shape_.block_count == 0) {
    throw Error(ErrorKind::internal, format("pool '{}' of {} blocks of {} bytes: neither may be 0", shape_.name,
                                            shape_.block_count, shape_.block_bytes));
  }
  const size_t count = shape_.block_count + resting_;
  blocks_.reserve(count);
  try {
    while (blocks_.size() < count) blocks_.push_back(backend_->allocate(shape_.kind, shape_.block_bytes));
  } catch (...) {  // a destructor does not run for what was not made
    free_all();
    throw;
  }
  for (size_t block = 0; block < count; ++block) {
    backend_->block_freed(bytes(block));
    free_.push(block);
  }
}

PoolBlocks::~PoolBlocks() {
  free_all();
}

void PoolBlocks::free_all() noexcept {
  for (std::byte* block : blocks_) backend_->deallocate(shape_.kind, block, shape_.block_bytes);
}

std::optional<size_t> PoolBlocks::take(Deadline deadline) {
  size_t block = 0;
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, deadline.when(), [this] { return free_.size() > resting_; })) return std::nullopt;
    block = free_.pop();
  }
  try {
    backend_->block_taken(bytes(block));
  } catch (const Error& error) {
    throw Error(error.kind(), format("pool '{}', block {}: {}", shape_.name, block, error.what()));
  }
  return block;
}

void PoolBlocks::give_back(size_t block) noexcept {
  backend_->block_freed(bytes(block));
  const std::lock_guard lock(mutex_);
  free_.push(block);
  freed_.notify_one();
}

size_t PoolBlocks::free_count() const {
  const std::lock_guard lock(mutex_);
  return free_.size() - resting_;
}

}  // namespace dflash
