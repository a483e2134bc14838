#include "common/plan/queue_plan.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

int64_t plan_queue_bytes(const PipelineSection& settings, int drafters, int64_t memory_bytes) {
  if (settings.queue_bytes() > 0) return settings.queue_bytes();
  return std::min(memory_bytes / 10 * drafters, memory_bytes / 2);
}

QueuePlan plan_queue(const PipelineSection& settings, int64_t slot_bytes, int targets, int drafters,
                     int64_t memory_bytes) {
  const int64_t links = int64_t{targets} * drafters;
  const int64_t queue_bytes = plan_queue_bytes(settings, drafters, memory_bytes);
  const char* bytes_name = settings.queue_bytes() > 0 ? "pipeline.queue_bytes"
                           : drafters <= 5            ? "a tenth of the memory for each drafter"
                                                      : "half of the memory";
  const int64_t depth_of_bytes = queue_bytes / slot_bytes;

  QueuePlan plan;
  plan.depth = std::max(int64_t{1}, std::min<int64_t>(settings.hs_queue_depth(), depth_of_bytes));
  if (settings.hs_queue_depth() <= depth_of_bytes) {
    plan.depth_reason = "pipeline.hs_queue_depth";
  } else if (depth_of_bytes >= 1) {
    plan.depth_reason = format("{} ({} bytes)", bytes_name, queue_bytes);
  } else {
    plan.depth_reason = format("the least possible: {} ({} bytes) is less than one batch", bytes_name, queue_bytes);
  }
  // A target writes one slot while the drafter reads another.
  plan.slots_per_link = std::max(int64_t{2}, (plan.depth + links - 1) / links);
  // Divided, not multiplied: the product may not fit 64 bits.
  if (plan.slots_per_link > memory_bytes / slot_bytes / links) {
    throw Error(ErrorKind::config,
                format("data.pack_tokens is too large: {} links x {} slots of {} bytes do not fit into the "
                       "machine's {} bytes of memory; lower it, pipeline.queue_bytes, or the number of targets, "
                       "drafters or captured layers",
                       links, plan.slots_per_link, slot_bytes, memory_bytes));
  }
  return plan;
}

int64_t plan_min_ready(const PipelineSection& settings, const QueuePlan& queue, int drafters) {
  return std::max(int64_t{1}, std::min({int64_t{settings.min_ready()}, queue.depth / drafters, queue.slots_per_link}));
}

}  // namespace dflash
