#include "common/channel/lent_slots.h"

#include <deque>
#include <mutex>
#include <utility>

namespace dflash {

/// Shared with the slots that are out.
class LentSlots::Book final : public SlotOwner {
 public:
  Book(std::shared_ptr<const void> memory, std::function<void()> take_back)
      : memory_(std::move(memory)), take_back_(std::move(take_back)) {}

  uint64_t note_lent() {
    const std::lock_guard lock(mutex_);
    is_back_.push_back(false);
    return first_ + is_back_.size() - 1;
  }

  void release_slot(uint64_t number) noexcept override {
    const std::lock_guard lock(mutex_);
    is_back_[number - first_] = true;
    while (!is_back_.empty() && is_back_.front()) {
      is_back_.pop_front();
      ++first_;
      if (take_back_) take_back_();
    }
  }

  void close() noexcept {
    const std::lock_guard lock(mutex_);
    take_back_ = nullptr;
  }

 private:
  const std::shared_ptr<const void> memory_;
  std::mutex mutex_;  // guards what follows
  std::function<void()> take_back_;
  uint64_t first_ = 0;        // number of the first slot that is out
  std::deque<bool> is_back_;  // from that one on
};

LentSlots::LentSlots(std::shared_ptr<const void> memory, std::function<void()> take_back)
    : book_(std::make_shared<Book>(std::move(memory), std::move(take_back))) {}

ReceivedSlot LentSlots::lend(std::span<std::byte> slot, MemoryKind kind) {
  return {slot, book_, book_->note_lent(), kind};
}

void LentSlots::close() noexcept {
  book_->close();
}

}  // namespace dflash
