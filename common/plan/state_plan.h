// What the settings say of the hidden states on their way: noise, and how the documents of a pack are marked.
#pragma once

#include "common/data/document_ids.h"
#include "common/data/noise_schedule.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// `drafters` of the run, and its optimizer steps: what train.noise_steps = 0 stands for.
[[nodiscard]] NoiseSchedule plan_noise(const RunConfig& config, int drafters, int64_t total_steps);

[[nodiscard]] DocumentIdsWay plan_document_ids(const PipelineSection& settings);

}  // namespace dflash
