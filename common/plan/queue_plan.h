// How many hidden-state batches may wait between targets and drafter, and the rings in shared memory that hold them.
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

/// Error{config} when the rings of all targets are larger than the machine's memory.
[[nodiscard]] QueuePlan plan_queue(const PipelineSection& settings, int64_t slot_bytes, int targets,
                                   int64_t memory_bytes);

}  // namespace dflash
