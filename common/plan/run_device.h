// The device that run.device names, as each worker makes its own: before its channels, whose slots are registered with
// it.
//
//   Device device = make_run_device(...);         first: channels, queues and loops end before it
//   ... what kernels work with ...
//   const DrainAtEnd drain(device);               then the loops: on the way out nothing is destroyed under a kernel
#pragma once

#include "common/device/device.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// `worker`: number of the process, so that simulated devices of two workers do not behave alike.
[[nodiscard]] Device make_run_device(const RunSection& settings, int worker);

/// Waits, at the end of its scope, until the device is past all that was dropped in flight; says so when it is not in
/// ten seconds.
class DrainAtEnd {
 public:
  explicit DrainAtEnd(Device& device) : device_(device) {}
  ~DrainAtEnd();
  DrainAtEnd(const DrainAtEnd&) = delete;
  DrainAtEnd& operator=(const DrainAtEnd&) = delete;

 private:
  Device& device_;
};

}  // namespace dflash
