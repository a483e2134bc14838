// DeviceFault: mistakes that this room and the channels are known not to make, so that its tests can make them and must
// notice.
//
// Only tests/device/scoped_fault.h sets one. The cost in a run is one load of a constant at the places named.
#pragma once

#include <atomic>

namespace dflash {

enum class DeviceFault {
  none,
  early_source_free,         ///< copy_async gives the source back when the copy is submitted
  early_destination_read,    ///< land() does not wait
  slot_released_at_submit,   ///< a lease returns its credit when its slot comes into flight
  slot_released_twice,       ///< a lease returns its credit twice
  credit_by_timer,           ///< the reaper goes by the time that passed, not by the fence
  fence_before_submit,       ///< the fence of a copy is recorded before the copy
  fence_on_wrong_stream,     ///< then() lets the new stream wait for itself
  lost_wait,                 ///< a copy waits for the stream of its source, not for that of its destination
  destructor_skips_reaper,   ///< dropping what is in flight frees it
  throw_after_enqueue,       ///< an exception between the submission and the hand-over of the two sides
  alias_survives_hand_over,  ///< a handle that was moved from still shows the bytes
  reused_source,             ///< then() gives the source back while it is being read
  size_off_by_one,           ///< a copy leaves out the last byte
  wrap_around,               ///< the ring of free blocks skips an entry where it wraps
  credit_before_kernel,      ///< a kernel does not keep what it works on
  reaper_dropped_at_close,   ///< closing a device frees what is still in flight
  abort_frees_in_flight,     ///< a land() that times out frees both sides
  resize_during_copy,        ///< the source of a copy gets other memory while it is read
  publish_before_checksum,   ///< a channel's sender wakes the receiver before the frame's header is written
  checksum_over_padding,     ///< a sender's checksum goes beyond the payload
  last = checksum_over_padding,
};

inline constinit std::atomic<DeviceFault> active_device_fault{DeviceFault::none};

[[nodiscard]] inline bool has_fault(DeviceFault fault) {
  return active_device_fault.load(std::memory_order_relaxed) == fault;
}

}  // namespace dflash
