#include "deploy/cli/doctor/choices.h"

#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/nccl/nccl_built.h"
#include "common/plan/link_plan.h"
#include "common/plan/queue_plan.h"

namespace dflash {
namespace {

Finding check_threads(const RunConfig& config, int targets, int drafters, int64_t cores) {
  const int of_target = plan_threads(config.target().threads(), cores, targets + drafters);
  const int of_drafter = plan_threads(config.drafter().threads(), cores, targets + drafters);
  const std::string found =
      format("{} target(s) x {} and {} drafter(s) x {} on {} core(s)", targets, of_target, drafters, of_drafter, cores);
  const int64_t all = int64_t{targets} * of_target + int64_t{drafters} * of_drafter;
  if (all <= cores) return {Light::good, "threads", found};
  return {Light::note, "threads", found, "more workers than cores take turns: fewer --targets or --drafters"};
}

Finding check_device(size_t gpu_count, bool built_with_cuda) {
  std::string cuda = format("cuda can be set: {} GPU(s)", gpu_count);
  if (gpu_count == 0) cuda = "cuda would be refused: no GPU";
  if (!built_with_cuda) cuda = "cuda would be refused: this build has no CUDA";
  return {Light::good, "device", format("cpu (run.device; {})", cuda)};
}

}  // namespace

Findings check_choices(int targets, int drafters, const MachineFacts& machine, size_t gpu_count, bool built_with_cuda) {
  const RunConfig config;
  const RoleMap one_node({Role::coordinator, Role::target, Role::drafter}, 0);
  const char* channel = channel_kind_name(link_kind(config, one_node, 1, 2));
  const int64_t queue_bytes = plan_queue_bytes(config.pipeline(), drafters, machine.memory_bytes);
  return {check_device(gpu_count, built_with_cuda),
          {Light::good, "channel",
           format("{} (auto: one node; between nodes {}, with run.device = cuda {})", channel,
                  channel_kind_name(automatic_kind(false, RunSection::cpu, built_with_nccl())),
                  channel_kind_name(automatic_kind(false, RunSection::cuda, built_with_nccl())))},
          {Light::good, "queue",
           format("at most {} batches or {} of waiting hidden states", config.pipeline().hs_queue_depth(),
                  bytes_text(queue_bytes))},
          check_threads(config, targets, drafters, machine.cores)};
}

}  // namespace dflash
