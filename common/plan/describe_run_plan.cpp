#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/plan/run_plan.h"

namespace dflash {

namespace {

std::string describe_windows(const DrafterConfig& drafter) {
  std::vector<size_t> layers;
  for (size_t i = 0; i < drafter.layer_types.size(); ++i) {
    if (drafter.layer_types[i] == LayerType::sliding_attention) layers.push_back(i);
  }
  return format("windows  drafter layer(s) {} see {} positions\n", join(layers, ", "), drafter.sliding_window);
}

}  // namespace

std::string describe_run_plan(const RunPlan& plan) {
  const ModelConfig& target = plan.target;
  const DrafterConfig& drafter = plan.drafter;
  const auto slot_bytes = static_cast<int64_t>(plan.layout.slot_bytes);
  std::string text;
  text += format("ranks    1 coordinator, {} target(s) of {} thread(s), {} drafter(s) of {} thread(s)\n", plan.targets,
                 plan.target_threads, plan.drafters, plan.drafter_threads);
  text += format("target   {}: {} layers, hidden {}, vocabulary {}; computes in {}\n", target.model_type,
                 target.num_hidden_layers, target.hidden_size, target.vocab_size, dtype_code(plan.compute_dtype));
  text += format("drafter  {} layers, MLP {}, {} heads, {} key/value heads of {}; {}\n", drafter.num_hidden_layers,
                 drafter.intermediate_size, drafter.num_attention_heads, drafter.num_key_value_heads, drafter.head_dim,
                 dtype_code(drafter.dtype));
  if (any_slides(drafter.layer_types)) text += describe_windows(drafter);
  text += format("blocks   {} tokens, mask token {}, decay gamma {}\n", drafter.block_size, drafter.mask_token_id,
                 plan.decay_gamma);
  text += format("capture  the output of target layer(s) {}\n", join(drafter.target_layer_ids, ", "));
  text += format("batch    {} positions, {}\n", plan.layout.pack_tokens, bytes_text(slot_bytes));
  text +=
      format("queue    {} batches in flight (from {}); a drafter begins with {} ready; {} slots per link, {} in all\n",
             plan.queue_depth, plan.queue_depth_reason, plan.min_ready, plan.slots_per_link,
             bytes_text(slot_bytes * plan.slots_per_link * plan.links()));
  return text;
}

}  // namespace dflash
