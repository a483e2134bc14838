#include "target_worker/slot_packer.h"

#include <memory>
#include <utility>

namespace dflash {

Landed<SendLease> SlotPacker::fill(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline) {
  OnStream<Buffer> states = std::move(*captured.states).then(stream_);
  OnStream<SendLease> destination = std::move(slot).on(stream_);
  // The kernel owns what it reads: it may run after this call has given up.
  const auto leased = std::make_shared<const LeasedPack>(std::move(captured.leased));
  const StateNoise noise = noise_.of_batch(leased->sequence);
  const auto kernel = [&layout = layout_, leased, noise](std::span<std::byte> from, std::span<std::byte> to) {
    fill_batch_slot(to, layout, leased->sequence, leased->pack, from, noise);
  };
  launch(stream_, kernel, states, destination);
  Landed<SendLease> filled = std::move(destination).land(deadline);
  const Landed<Buffer> free_again = std::move(states).land(deadline);
  return filled;
}

}  // namespace dflash
