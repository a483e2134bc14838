// SlotPacker: captured states -> the batch's slot, as a kernel of the target's device: laid out, noise added where it
// is added on this side, checked, header written.
//
// Threading: one thread. Owns: its stream.
#pragma once

#include "common/channel/device_slots.h"
#include "common/data/batch_slot.h"
#include "common/data/noise_schedule.h"
#include "target_worker/captured_pack.h"

namespace dflash {

class SlotPacker {
 public:
  /// `layout` must outlive the device. `noise`: none for batches that are to travel clean.
  SlotPacker(Device& device, const BatchLayout& layout, const NoiseSchedule& noise)
      : layout_(layout), noise_(noise), stream_(device.make_stream("pack")) {}

  /// Waits until the slot is written; the buffers of `captured` are free then. Error{stall} at the deadline, and what
  /// the forward's stream failed with.
  [[nodiscard]] Landed<SendLease> fill(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline);

 private:
  const BatchLayout& layout_;
  const NoiseSchedule noise_;
  Stream stream_;
};

}  // namespace dflash
