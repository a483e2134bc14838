// One drafter's part of a run, from the settings to Stop: connect, load, train.
#pragma once

#include "common/mpi/worker_main.h"

namespace dflash {

/// The body of a drafter worker (worker_main.h). Batches come from the run's targets, or, in a run without any, from
/// the folder data.recorded.
void run_drafter(const WorkerContext& worker);

}  // namespace dflash
