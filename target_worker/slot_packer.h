// SlotPacker: captured states -> the batch's slot, as a kernel of the target's device: laid out, noise added where it
// is added on this side, checked, header written.
//
// A device that works in the host's memory writes straight into the slot. Any other lays the batch out in memory of its
// own, and a stream for copies brings it into the slot while the next forward computes.
//
// Threading: one thread. Owns: its streams, and a buffer for one batch where it is copied.
#pragma once

#include <optional>

#include "common/channel/device_slots.h"
#include "common/data/batch_slot.h"
#include "common/data/noise_schedule.h"
#include "target_worker/captured_pack.h"

namespace dflash {

class SlotPacker {
 public:
  /// `layout` must outlive the device. `noise`: none for batches that are to travel clean.
  SlotPacker(Device& device, const BatchLayout& layout, const NoiseSchedule& noise);

  /// Waits until the device is past the slot; the buffers of `captured` are free then. Error{stall} at the deadline,
  /// and what the forward's stream failed with.
  [[nodiscard]] Landed<SendLease> fill(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline);

 private:
  /// The captured states, in use until the batch is laid out.
  template <typename Destination>
  [[nodiscard]] OnStream<Buffer> lay_out(CapturedPack&& captured, OnStream<Destination>& destination);

  const BatchLayout& layout_;
  const NoiseSchedule noise_;
  Stream stream_;
  Stream copies_;
  std::optional<Pool> packed_;  // on a device with memory of its own
};

}  // namespace dflash
