#include "common/device/buffer.h"

#include <chrono>
#include <optional>
#include <utility>

#include "common/device/pool_blocks.h"
#include "common/device/test_faults.h"

namespace dflash {

Buffer::Buffer(std::shared_ptr<PoolBlocks> home, size_t block)
    : home_(std::move(home)), block_(block), bytes_(home_->bytes(block)), kind_(home_->shape().kind) {}

Buffer::Buffer(Buffer&& other) noexcept
    : home_(std::move(other.home_)),
      block_(other.block_),
      bytes_(has_fault(DeviceFault::alias_survives_hand_over) ? other.bytes_ : std::exchange(other.bytes_, {})),
      kind_(other.kind_),
      state_(other.state_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  home_ = std::move(other.home_);
  block_ = other.block_;
  bytes_ = std::exchange(other.bytes_, {});
  kind_ = other.kind_;
  state_ = other.state_;
  return *this;
}

void Buffer::give_back() noexcept {
  if (!home_) return;
  if (state_ == UseState::in_flight) {
    home_->lose();
  } else {
    home_->give_back(block_);
  }
  home_.reset();
}

void Buffer::take_other_block() {
  const std::optional<size_t> other = home_->take(Deadline::after(std::chrono::seconds(0)));
  if (!other) return;
  home_->give_back(block_);
  block_ = *other;
  bytes_ = home_->bytes(block_);
}

}  // namespace dflash
