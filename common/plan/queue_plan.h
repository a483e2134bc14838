// How many hidden-state batches may wait between targets and drafters, and the slots of the links that hold them.
#pragma once

#include <cstdint>
#include <string>

#include "proto/run_config.pb.h"

namespace dflash {

struct QueuePlan {
  int64_t depth = 0;         // batches in flight at most, at least 1
  std::string depth_reason;  // which setting it comes from
  int64_t slots_per_link = 0;
};

/// Most bytes of waiting hidden states: as the settings say, or a tenth of the memory.
[[nodiscard]] int64_t plan_queue_bytes(const PipelineSection& settings, int64_t memory_bytes);

/// `links`: targets x drafters. Error{config} when their slots together are larger than the machine's memory.
[[nodiscard]] QueuePlan plan_queue(const PipelineSection& settings, int64_t slot_bytes, int links,
                                   int64_t memory_bytes);

}  // namespace dflash
