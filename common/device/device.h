// Device: where memory, copies and kernels are. The room's door.
//
//   Device device = Device::cpu();                                        or Device::cuda(ordinal),
//   Device::sim(options) Pool captures = device.make_pool({"captures", MemoryKind::device, bytes, 2}); Pool host =
//   device.make_pool({"host", MemoryKind::pinned, bytes, 4}); Stream copies = device.make_stream("copies"); auto [from,
//   to] = copy_async(copies, std::move(*captures.take(deadline)), std::move(*host.take(deadline)))
//                         .land(deadline);                                 operations.h; the states: landed.h
//
// After the pools are made no step asks the system or the driver for memory: DeviceStats::allocator_calls stands still.
//
// Adding a back-end: backend.h, and one maker here.
//
// Threading: any thread. Owns: the reaper. The destructor waits for what was dropped in flight, at most 10 s, and
// leaves the rest unfreed rather than in use; call drain() to hear of it. Pools, streams and buffers may outlive the
// Device.
#pragma once

#include <memory>
#include <string>

#include "common/device/device_memory.h"
#include "common/device/operations.h"
#include "common/device/pool.h"
#include "common/device/registered_memory.h"
#include "common/device/sim_options.h"
#include "common/device/stream.h"

namespace dflash {

/// Counts since the start, and `held_now`.
struct DeviceStats {
  uint64_t allocator_calls = 0;   ///< to the system or the driver, both ways
  uint64_t allocated_bytes = 0;   ///< of all pools, now
  uint64_t lost_blocks = 0;       ///< never anything but 0, or this room has a bug
  size_t held_now = 0;            ///< things dropped in flight whose fence has not passed
  uint64_t registered_bytes = 0;  ///< host memory of others, now
  uint64_t released_in_use = 0;   ///< never anything but 0, or a program lets go of what the device is using
};

class Device {
 public:
  /// Operations are done at once, on the calling thread.
  [[nodiscard]] static Device cpu();
  /// A simulated asynchronous device: sim_backend.h.
  [[nodiscard]] static Device sim(const SimOptions& options);
  /// The GPU of that number: cuda_devices.h. Error{config} when there is none, or the build has no CUDA.
  [[nodiscard]] static Device cuda(int ordinal);
  ~Device();
  Device(Device&&) noexcept = default;
  Device& operator=(Device&&) = delete;

  /// Allocates all its blocks. Error{no_space}; {internal} for a shape that no pool can have.
  [[nodiscard]] Pool make_pool(PoolShape shape);
  [[nodiscard]] Stream make_stream(std::string name);
  /// For slots that are lent: device_memory.h. Error{no_space}.
  [[nodiscard]] DeviceMemory make_memory(MemoryKind kind, size_t size_bytes) { return {backend_, kind, size_bytes}; }
  /// Host memory of somebody else's, as pinned memory: registered_memory.h. Error{internal} when a part of it is
  /// registered already, {no_space} when it cannot be locked.
  [[nodiscard]] RegisteredMemory register_host(std::span<std::byte> memory) { return {backend_, memory}; }
  /// Waits until nothing that was dropped in flight is left; false at the deadline.
  [[nodiscard]] bool drain(Deadline deadline) { return reaper_->drain(deadline); }
  [[nodiscard]] DeviceStats stats() const;
  /// Its kernels work in the host's memory: nothing need be copied to it or from it.
  [[nodiscard]] bool shares_host_memory() const { return backend_->shares_host_memory(); }

 private:
  explicit Device(std::shared_ptr<Backend> backend);

  std::shared_ptr<Backend> backend_;
  std::shared_ptr<Reaper> reaper_;
};

}  // namespace dflash
