// The sim back-end: an asynchronous device made of threads, on which mistakes of order and lifetime show.
//
// Copies run on copy engines and kernels on a compute engine, late, in pieces and across streams in any order
// (sim_options.h). Memory nobody may read holds NaN: a block from when it is freed until it is written, an idle
// destination from when its copy is submitted. Freed blocks rest before they are used again, and one that was written
// to meanwhile is an error (sim_memory.h).
#pragma once

#include <memory>

#include "common/device/backend.h"
#include "common/device/sim_options.h"

namespace dflash {

[[nodiscard]] std::shared_ptr<Backend> make_sim_backend(const SimOptions& options);

}  // namespace dflash
