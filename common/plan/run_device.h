// The device that run.device names, as each worker makes its own.
#pragma once

#include "common/device/device.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// `worker`: number of the process, so that simulated devices of two workers do not behave alike.
[[nodiscard]] Device make_run_device(const RunSection& settings, int worker);

}  // namespace dflash
