// The settings of a resumed run against those of the run that made the checkpoint.
#pragma once

#include <string>
#include <vector>

#include "common/plan/recorded_run.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Writes into `config` what follows from the checkpoint: numbers of threads that are left open, and
/// train.accumulation_steps, so that a step takes as many batches as before with another number of drafters. Returns a
/// line for each thing a person should know.
///
/// Error{config}: settings that would alter the run, all of them with both values; a number of drafters that cannot
/// share the batches of a step evenly, with those that can.
std::vector<std::string> take_over_settings(const RecordedRun& recorded, RunConfig& config, int drafters);

}  // namespace dflash
