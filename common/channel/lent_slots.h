// LentSlots: which slots of a receiver are out, so that they may come back in any order, on any thread, and also after
// the end that lent them is gone.
//
//   LentSlots lent(ring, [&] { ++control.released; sem_post(&control.free); });
//   return {ChannelStatus::ok, lent.lend(ring->payload(index))};
//
// The other end fills slots in one order, so the first of them counts: a slot that comes back early is handed on when
// all that were lent before it are back.
//
// Threading: any thread. Owns: a share of the memory, together with the slots that are out.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "common/channel/channel.h"

namespace dflash {

class LentSlots {
 public:
  /// `take_back` is called once for each slot, in the order in which they were lent, one call at a time, on the thread
  /// that brings it; it must not throw, and not lend. `memory`: what all the slots lie in.
  LentSlots(std::shared_ptr<const void> memory, std::function<void()> take_back);
  ~LentSlots() { close(); }
  LentSlots(const LentSlots&) = delete;
  LentSlots& operator=(const LentSlots&) = delete;

  [[nodiscard]] ReceivedSlot lend(std::span<std::byte> slot, MemoryKind kind = MemoryKind::pinned);
  /// From here on slots that come back are told to nobody, and no call of take_back is under way.
  void close() noexcept;

 private:
  class Book;
  const std::shared_ptr<Book> book_;
};

}  // namespace dflash
