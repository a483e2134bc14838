// MemoryPlan for a person, and against a machine.
#include <array>

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/plan/large_product.h"
#include "common/plan/memory_plan.h"

namespace dflash {
namespace {

std::array<const RoleMemory*, 4> all_roles(const MemoryPlan& plan) {
  return {&plan.coordinator, &plan.target, &plan.drafter, &plan.channels};
}

/// What all processes together take, and the part that takes most of it.
struct Sum {
  int64_t bytes = 0;
  const RoleMemory* role = nullptr;
  const MemoryPart* largest = nullptr;
};

Sum sum_of(const MemoryPlan& plan, bool with_estimates) {
  Sum sum;
  int64_t most = -1;
  for (const RoleMemory* role : all_roles(plan)) {
    for (const MemoryPart& part : role->parts) {
      if (part.on_gpu || (!part.certain && !with_estimates)) continue;
      const int64_t bytes = large_product({part.bytes, role->processes});
      sum.bytes += bytes;
      if (bytes <= most) continue;
      most = bytes;
      sum.role = role;
      sum.largest = &part;
    }
  }
  return sum;
}

std::string largest_text(const Sum& sum) {
  return format("the largest part is {} ({}): {} x {}", sum.largest->what, sum.role->role, sum.role->processes,
                bytes_text(sum.largest->bytes));
}

std::string role_line(const RoleMemory& role) {
  std::string parts;
  for (const MemoryPart& part : role.parts) {
    parts += format("{}{}{} {}{}", parts.empty() ? "" : ", ", part.certain ? "" : "about ", bytes_text(part.bytes),
                    part.what, part.on_gpu ? " (GPU)" : "");
  }
  return format("{} x {} = {}: {}", role.processes, role.role, bytes_text(role.bytes()), parts);
}

}  // namespace

std::string describe_memory_plan(const MemoryPlan& plan) {
  std::string text;
  for (const RoleMemory* role : all_roles(plan)) {
    if (role->processes == 0 || role->parts.empty()) continue;
    text += format("{:<9}{}\n", text.empty() ? "memory" : "", role_line(*role));
  }
  text += format("{:<9}{} at least, about {} with the estimates\n", "", bytes_text(sum_of(plan, false).bytes),
                 bytes_text(sum_of(plan, true).bytes));
  text += format("disk     {} of a checkpoint, at most {} of them at once: {}\n", bytes_text(plan.checkpoint_bytes),
                 plan.checkpoints, bytes_text(large_product({plan.checkpoint_bytes, plan.checkpoints})));
  return text;
}

std::vector<std::string> check_memory_plan(const MemoryPlan& plan, int64_t memory_bytes, int64_t free_disk_bytes) {
  const Sum least = sum_of(plan, false), likely = sum_of(plan, true);
  if (least.bytes > memory_bytes) {
    throw Error(
        ErrorKind::config,
        format(
            "{} asks for too much memory: the run takes at least {} of this node's {}; {}; make it smaller, or start "
            "fewer targets or drafters",
            least.largest->key, bytes_text(least.bytes), bytes_text(memory_bytes), largest_text(least)));
  }
  const int64_t disk = large_product({plan.checkpoint_bytes, plan.checkpoints});
  if (disk > free_disk_bytes) {
    throw Error(
        ErrorKind::no_space,
        format("run.dir needs {} for {} checkpoints of {}, its disk has {} free; free some space, or choose "
               "another run.dir",
               bytes_text(disk), plan.checkpoints, bytes_text(plan.checkpoint_bytes), bytes_text(free_disk_bytes)));
  }
  if (likely.bytes <= memory_bytes) return {};
  return {format("the memory may not suffice: the run may take {} of this node's {}; {}; lower {} if it fails",
                 bytes_text(likely.bytes), bytes_text(memory_bytes), largest_text(likely), likely.largest->key)};
}

}  // namespace dflash
