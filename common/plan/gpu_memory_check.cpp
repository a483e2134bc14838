// MemoryPlan against the GPUs of a machine.

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/plan/memory_plan.h"

namespace dflash {
namespace {

int64_t gpu_bytes_of(const RoleMemory& role, bool with_estimates) {
  int64_t bytes = 0;
  for (const MemoryPart& part : role.parts) {
    if (part.on_gpu && (part.certain || with_estimates)) bytes += part.bytes;
  }
  return bytes;
}

/// The greatest part of all that workers hold on GPUs.
const MemoryPart* largest_part(const MemoryPlan& plan) {
  const MemoryPart* largest = nullptr;
  for (const RoleMemory* role : {&plan.target, &plan.drafter}) {
    for (const MemoryPart& part : role->parts) {
      const bool counts = role->processes > 0 && part.on_gpu;
      if (counts && (largest == nullptr || part.bytes > largest->bytes)) largest = &part;
    }
  }
  return largest;
}

/// Bytes on each GPU when its workers come in turn.
std::vector<int64_t> bytes_per_gpu(const MemoryPlan& plan, size_t gpus, bool with_estimates) {
  std::vector<int64_t> bytes(gpus, 0);
  const int64_t workers = plan.target.processes + plan.drafter.processes;
  for (int64_t worker = 0; worker < workers; ++worker) {
    const RoleMemory& role = worker < plan.target.processes ? plan.target : plan.drafter;
    bytes[static_cast<size_t>(worker) % gpus] += gpu_bytes_of(role, with_estimates);
  }
  return bytes;
}

}  // namespace

std::vector<std::string> check_gpu_memory(const MemoryPlan& plan, const std::vector<int64_t>& gpu_bytes) {
  const MemoryPart* largest = largest_part(plan);
  if (gpu_bytes.empty() || largest == nullptr) return {};
  const std::vector<int64_t> least = bytes_per_gpu(plan, gpu_bytes.size(), false);
  const std::vector<int64_t> likely = bytes_per_gpu(plan, gpu_bytes.size(), true);
  std::vector<std::string> notes;
  for (size_t gpu = 0; gpu < gpu_bytes.size(); ++gpu) {
    const std::string part = format("the largest part is {} of {}", bytes_text(largest->bytes), largest->what);
    if (least[gpu] > gpu_bytes[gpu]) {
      throw Error(ErrorKind::config,
                  format("{} asks for too much memory: the workers on GPU {} take at least {} of its {}; {}; make it "
                         "smaller, or give fewer workers to a GPU",
                         largest->key, gpu, bytes_text(least[gpu]), bytes_text(gpu_bytes[gpu]), part));
    }
    if (likely[gpu] <= gpu_bytes[gpu]) continue;
    notes.push_back(
        format("the memory of GPU {} may not suffice: its workers may take {} of {}; {}; lower {} if it "
               "fails",
               gpu, bytes_text(likely[gpu]), bytes_text(gpu_bytes[gpu]), part, largest->key));
  }
  return notes;
}

}  // namespace dflash
