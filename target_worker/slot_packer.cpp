#include "target_worker/slot_packer.h"

#include <memory>
#include <utility>

#include "common/base/error.h"

namespace dflash {
namespace {

std::optional<Pool> make_packed(Device& device, const BatchLayout& layout) {
  if (device.shares_host_memory()) return std::nullopt;
  return device.make_pool({"packed", MemoryKind::device, layout.slot_bytes, 1});
}

}  // namespace

SlotPacker::SlotPacker(Device& device, const BatchLayout& layout, const NoiseSchedule& noise)
    : layout_(layout),
      noise_(noise),
      stream_(device.make_stream("pack")),
      copies_(device.make_stream("copy-out")),
      packed_(make_packed(device, layout)) {}

Landed<SendLease> SlotPacker::fill(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline) {
  if (!packed_) {
    OnStream<SendLease> destination = std::move(slot).on(stream_);
    OnStream<Buffer> states = lay_out(std::move(captured), destination);
    Landed<SendLease> filled = std::move(destination).land(deadline);
    static_cast<void>(std::move(states).land(deadline));
    return filled;
  }
  std::optional<Landed<Buffer>> buffer = packed_->take(deadline);
  if (!buffer) throw Error(ErrorKind::stall, "the last batch is not copied into its slot: the device does not move on");
  OnStream<Buffer> packed = std::move(*buffer).on(stream_);
  OnStream<Buffer> states = lay_out(std::move(captured), packed);
  auto [free_again, filled] = copy_async(copies_, std::move(packed), std::move(slot)).land(deadline);
  static_cast<void>(std::move(states).land(deadline));
  return std::move(filled);
}

template <typename Destination>
OnStream<Buffer> SlotPacker::lay_out(CapturedPack&& captured, OnStream<Destination>& destination) {
  OnStream<Buffer> states = std::move(*captured.states).then(stream_);
  // The kernel owns what it reads: it may run after this call has given up.
  const auto leased = std::make_shared<const LeasedPack>(std::move(captured.leased));
  const StateNoise noise = noise_.of_batch(leased->sequence);
  const auto kernel = [&layout = layout_, leased, noise](std::span<std::byte> from, std::span<std::byte> to) {
    fill_batch_slot(to, layout, leased->sequence, leased->pack, from, noise);
  };
  launch(stream_, kernel, states, destination);
  return states;
}

}  // namespace dflash
