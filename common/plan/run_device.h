// The device that run.device names, as each worker makes its own: before its channels, whose slots are registered with
// it.
//
//   check_run_device(config.run());                                 dflash train: before anything is started
//   const RunPlace place = place_on_node(config.run(), roles);      a worker
//   Device device = make_run_device(config.run(), place);           first: channels, queues and loops end before it
//   ... what kernels work with ...
//   const DrainAtEnd drain(device);               then the loops: on the way out nothing is destroyed under a kernel
//
// Threading: any thread.
#pragma once

#include <string>

#include "common/device/cuda_devices.h"
#include "common/device/device.h"
#include "common/mpi/role_map.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Error{config} when it cannot be had here: cuda in a build without it, or where no GPU can be used.
void check_run_device(const RunSection& settings);
/// cpu, sim, or cuda and why it was taken: a line for a person.
[[nodiscard]] std::string describe_run_device(const RunSection& settings);

/// What this worker takes of its node.
struct RunPlace {
  int worker = 0;         ///< number of the process, so that simulated devices of two workers do not behave alike
  int cuda_ordinal = -1;  ///< the GPU; -1 where none is wanted
  std::string text;       ///< a line for the log
};
/// GPUs go round robin over the workers of a node, in the order of their ranks. Error{config} as check_run_device.
[[nodiscard]] RunPlace place_on_node(const RunSection& settings, const RoleMap& roles);

/// The GPU that this worker of the own node takes with run.device = cuda; and why, as a line for the log. Errors as
/// above.
[[nodiscard]] CudaChoice gpu_of(const RoleMap& roles, int rank);

[[nodiscard]] Device make_run_device(const RunSection& settings, const RunPlace& place);

/// Waits, at the end of its scope, until the device is past all that was dropped in flight; says so when it is not in
/// ten seconds, or in two behind an error.
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
