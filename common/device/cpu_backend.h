// The cpu back-end: every operation is done at once, on the calling thread; all kinds of memory are plain.
//
// Streams that different threads use are as ordered as anywhere: an operation first waits for what its stream waits
// for.
#pragma once

#include <memory>

#include "common/device/backend.h"

namespace dflash {

[[nodiscard]] std::shared_ptr<Backend> make_cpu_backend();

}  // namespace dflash
