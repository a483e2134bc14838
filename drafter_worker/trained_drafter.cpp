#include "drafter_worker/trained_drafter.h"

#include <ATen/ATen.h>

namespace dflash {
namespace {

TargetEnds load_ends(const RunConfig& config, const RunPlan& plan, at::Device device) {
  ModelWeights weights(config.target().model());
  return load_target_ends(plan.target, weights, at::kFloat, device);
}

}  // namespace

TrainedDrafter::TrainedDrafter(const RunConfig& config, const RunPlan& plan, at::Device device)
    : ends(load_ends(config, plan, device)),
      parameters(plan.drafter, device),
      model(DrafterModel::over(plan.drafter, parameters)),
      optimizer(parameters.values(), {config.train().weight_decay(), config.train().max_grad_norm()}),
      step(model, parameters, optimizer, ends, block_rules(plan.drafter, plan.decay_gamma)) {
  parameters.initialize(config.run().seed(), config.drafter().qk_norm_init());
}

}  // namespace dflash
