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

/// Most bytes of waiting hidden states: as the settings say, or a tenth of the memory for each drafter, in all at most
/// half of it.
[[nodiscard]] int64_t plan_queue_bytes(const PipelineSection& settings, int drafters, int64_t memory_bytes);

/// Error{config} when the slots of all links (targets x drafters) are together larger than the machine's memory.
[[nodiscard]] QueuePlan plan_queue(const PipelineSection& settings, int64_t slot_bytes, int targets, int drafters,
                                   int64_t memory_bytes);

/// With how many ready batches a drafter begins: the least of pipeline.min_ready, the drafter's share of the depth in
/// force, and the slots of a link; in the run also of the batches that it has left. That many always become ready,
/// however fast or slow the targets are: the first `depth` numbers are granted before anything is trained, at least
/// floor(depth / drafters) to each drafter; and before a drafter's m-th number a target sends less than m batches on
/// any one link, so with m <= slots_per_link nothing keeps it from sending that one.
[[nodiscard]] int64_t plan_min_ready(const PipelineSection& settings, const QueuePlan& queue, int drafters);

}  // namespace dflash
