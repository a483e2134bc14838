#include "target_worker/slot_packer.h"

#include <memory>
#include <utility>

#include "common/base/error.h"
#include "common/data/marked_states.h"

namespace dflash {

SlotPacker::SlotPacker(Device& device, const BatchLayout& layout, const NoiseSchedule& noise)
    : layout_(layout), noise_(noise), stream_(device.make_stream("pack")) {
  if (device.shares_host_memory()) return;
  packed_.emplace(device.make_pool({"packed states", MemoryKind::device, marked_states_bytes(layout), 1}));
}

Landed<SendLease> SlotPacker::fill(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline) {
  return packed_ ? fill_on_device(std::move(slot), std::move(captured), deadline)
                 : fill_on_host(std::move(slot), std::move(captured), deadline);
}

Landed<SendLease> SlotPacker::fill_on_device(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline) {
  std::optional<Landed<Buffer>> room = packed_->take(deadline);
  if (!room)
    throw Error(ErrorKind::stall, "the last batch's packed states are still in use: the device does not move on");
  OnStream<Buffer> packed = std::move(*room).on(stream_);
  OnStream<Buffer> states = std::move(*captured.states).then(stream_);
  const StateNoise noise = noise_.of_batch(captured.leased.sequence);
  const auto kernel = [&layout = layout_, noise](std::span<std::byte> from, std::span<std::byte> to) {
    pack_marked_states(from, layout, noise, to);
  };
  launch(stream_, kernel, states, packed);
  auto copy = copy_async(stream_, std::move(packed), std::move(slot), {.to_byte = marked_states_offset(layout_)});
  static_cast<void>(std::move(states).land(deadline));
  auto [used, filled] = std::move(copy).land(deadline);
  finish_batch_slot(filled.host_view(), layout_, captured.leased.sequence, captured.leased.pack, noise);
  return std::move(filled);
}

Landed<SendLease> SlotPacker::fill_on_host(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline) {
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
