// SlotPacker: captured states -> the batch's slot, as a kernel of the target's device: laid out, noise added where it
// is added on this side, checked, header written. A device with memory of its own packs there, and one copy brings the
// states into the slot.
//
// Threading: one thread. Owns: its stream, and the memory that is packed into.
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

  /// Waits until the slot is written; the buffers of `captured` are free then. Error{stall} at the deadline, and what
  /// the forward's stream failed with.
  [[nodiscard]] Landed<SendLease> fill(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline);

 private:
  [[nodiscard]] Landed<SendLease> fill_on_host(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline);
  [[nodiscard]] Landed<SendLease> fill_on_device(Landed<SendLease> slot, CapturedPack&& captured, Deadline deadline);

  const BatchLayout& layout_;
  const NoiseSchedule noise_;
  std::optional<Pool> packed_;  // where kernels work in the slot itself there is none
  Stream stream_;
};

}  // namespace dflash
