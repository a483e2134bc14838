#include "common/plan/run_plan.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/compute_dtype.h"
#include "common/plan/drafter_plan.h"
#include "common/plan/queue_plan.h"

namespace dflash {
namespace {

DType plan_compute_dtype(DtypeChoice choice, DType stored) {
  switch (choice) {
    case DtypeChoice::float32:
      return DType::f32;
    case DtypeChoice::bfloat16:
      return DType::bf16;
    default:
      return default_compute_dtype(stored);
  }
}

void check_pack_tokens(int64_t pack_tokens, const ModelConfig& target) {
  if (pack_tokens <= target.max_position_embeddings) return;
  throw Error(ErrorKind::config,
              format("data.pack_tokens = {} is more than the target's max_position_embeddings = {}: a "
                     "document may fill a whole pack; use at most {}",
                     pack_tokens, target.max_position_embeddings, target.max_position_embeddings));
}

void check_source(const DataSection& data, int targets) {
  if (data.recorded().empty() && targets == 0) {
    throw Error(ErrorKind::config,
                "a run needs at least 1 target_worker, or the folder of a recording (data.recorded)");
  }
  if (data.recorded().empty() || targets == 0) return;
  throw Error(ErrorKind::config, format("data.recorded = {}: the batches come from there, so start no targets, not {}",
                                        data.recorded(), targets));
}

}  // namespace

int plan_threads(int32_t given, int64_t cores, int workers) {
  return given > 0 ? given : static_cast<int>(std::max(int64_t{1}, cores / workers));
}

RunPlan make_run_plan(const RunConfig& config, const ModelConfig& target, int targets, int drafters,
                      const MachineFacts& machine) {
  check_source(config.data(), targets);
  check_pack_tokens(config.data().pack_tokens(), target);
  RunPlan plan;
  plan.targets = targets;
  plan.drafters = drafters;
  plan.target = target;
  plan.drafter = plan_drafter(config.drafter(), target);
  plan.compute_dtype = plan_compute_dtype(config.target().dtype(), target.dtype);
  plan.layout = make_batch_layout(config.data().pack_tokens(), target.hidden_size, plan.drafter.target_layer_ids,
                                  plan.compute_dtype, config.pipeline().split_fc_layers() && targets > 0);
  plan.decay_gamma =
      config.train().decay_gamma() > 0 ? config.train().decay_gamma() : default_decay_gamma(plan.drafter.block_size);
  const int workers = std::max(targets, 1) + drafters;  // the same bits with a recorded folder as with one target
  plan.target_threads = plan_threads(config.target().threads(), machine.cores, workers);
  plan.drafter_threads = plan_threads(config.drafter().threads(), machine.cores, workers);
  const QueuePlan queue = plan_queue(config.pipeline(), static_cast<int64_t>(plan.layout.slot_bytes),
                                     std::max(targets, 1), drafters, machine.memory_bytes);
  plan.queue_depth = queue.depth;
  plan.queue_depth_reason = queue.depth_reason;
  plan.slots_per_link = queue.slots_per_link;
  plan.min_ready = plan_min_ready(config.pipeline(), queue, drafters);
  return plan;
}

void fix_machine_settings(RunConfig& config, const RunPlan& plan) {
  config.mutable_target()->set_threads(plan.target_threads);
  config.mutable_drafter()->set_threads(plan.drafter_threads);
  config.mutable_pipeline()->set_hs_queue_depth(static_cast<int32_t>(plan.queue_depth));
  config.mutable_pipeline()->set_queue_bytes(plan.queue_depth * static_cast<int64_t>(plan.layout.slot_bytes));
}

}  // namespace dflash
