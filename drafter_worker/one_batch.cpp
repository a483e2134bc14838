#include "drafter_worker/one_batch.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/random.h"
#include "common/checkpoint/checkpoint_store.h"
#include "common/config/run_config.h"
#include "common/data/batch_slot.h"
#include "common/plan/recording_plan.h"
#include "common/plan/state_plan.h"
#include "common/tensor/hidden_state_batch.h"
#include "common/train/anchors.h"
#include "common/train/training_state.h"
#include "drafter_worker/nan_guard.h"
#include "drafter_worker/trained_drafter.h"

namespace dflash {
namespace {

using Slot = std::vector<std::byte>;

/// Bad batches lie as they came, split or packed.
BatchLayout layout_of(const RecordedFolderReader& folder, const BatchLayout& packed) {
  BatchLayout split = packed;
  split.split_layers = true;
  for (const BatchLayout& layout : {packed, split}) {
    if (folder.recording().layout_hash == layout.hash()) return layout;
  }
  throw Error(ErrorKind::config,
              format("the recorded folder {} holds batches of another layout: data.pack_tokens, target.dtype and the "
                     "captured layers must be as when it was recorded",
                     folder.folder().string()));
}

Slot read_slot(const RecordedFolderReader& folder, const BatchLayout& layout, int64_t sequence) {
  const StoredForm form = form_of(folder, layout);
  if (!form.decode) {
    Slot slot(layout.slot_bytes);
    folder.read(sequence, slot);
    return slot;
  }
  Slot stored(form.stored_bytes), slot(layout.slot_bytes);
  folder.read(sequence, stored);
  form.decode(stored, slot);
  return slot;
}

/// Layers side by side, noise added.
Slot ready_slot(Slot&& slot, const BatchLayout& layout, const StateNoise& noise) {
  if (!needs_assembly(read_batch_header(slot, layout), layout, noise)) return std::move(slot);
  Slot assembled(packed_layout(layout).slot_bytes);
  assemble_batch(slot, layout, noise, assembled);
  return assembled;
}

/// A bad batch says how many drafters and steps its run had; of a recording they are those of the settings, for one
/// drafter.
NoiseSchedule noise_of_run(const RunConfig& config, const RecordedFolderReader& folder) {
  const auto number = [&](const char* key, int64_t otherwise) {
    const auto found = folder.recording().made_with.find(key);
    const bool known = found != folder.recording().made_with.end() && found->is_number_integer();
    return std::max(int64_t{1}, known ? found->get<int64_t>() : otherwise);
  };
  const auto drafters = static_cast<int>(std::min<int64_t>(number("drafters", 1), 1 << 20));
  return plan_noise(config, drafters, number("total_steps", config.train().steps()));
}

void use_weights(const std::filesystem::path& checkpoint, TrainedDrafter& drafter) {
  if (checkpoint.empty()) return;
  (void)verify_checkpoint(checkpoint);
  (void)read_training_state(checkpoint, drafter.parameters, drafter.optimizer);
}

StepResult train(const RunConfig& config, Slot& slot, const BatchLayout& packed, TrainedDrafter& drafter) {
  const HiddenStateBatch batch = view_received_slot(slot, packed);
  const CounterRandom random(config.run().seed(), RandomPurpose::anchors, static_cast<uint64_t>(batch.sequence));
  const std::vector<int64_t> anchors = sample_anchors(eligible_anchors(batch), config.train().num_anchors(), random);
  drafter.step.add_batch(batch, anchors, false);
  return drafter.step.finish(0);
}

}  // namespace

int look_at_batch(const ReplayCommand& command) {
  RunConfig config = load_run_config(command.run_toml, command.overrides);
  if (config.run().device() != RunSection::cpu) {
    throw Error(ErrorKind::config, "--batch computes on the CPU; add --set run.device=cpu");
  }
  config.mutable_data()->clear_recorded();
  config.mutable_pipeline()->set_split_fc_layers(false);
  const RunPlan plan = make_run_plan(config, read_model_config(config.target().model()), 1, 1, read_machine_facts());
  at::set_num_threads(plan.drafter_threads);
  const RecordedFolderReader folder(command.folder);
  const BatchLayout layout = layout_of(folder, plan.layout);
  Slot slot = read_slot(folder, layout, *command.batch);
  const BatchHeader header = read_batch_header(slot, layout);
  const std::map<std::string, Json> statistics = captured_statistics(slot, layout);
  TrainedDrafter drafter(config, plan, at::kCPU);
  use_weights(command.checkpoint, drafter);
  const NoiseSchedule noise = noise_of_run(config, folder);
  Slot ready = ready_slot(std::move(slot), layout, noise.of_batch(header.sequence));
  const StepResult result = train(config, ready, plan.layout, drafter);
  const Json line = {{"sequence", header.sequence},
                     {"finite", header.finite == 1},
                     {"loss", result.weight_sum > 0 ? Json(result.loss_sum / result.weight_sum) : Json()},
                     {"grad_norm", result.grad_norm},
                     {"tensors", statistics}};
  std::cout << line.dump() << '\n';
  const bool finite = header.finite == 1 && std::isfinite(result.loss_sum) && std::isfinite(result.grad_norm);
  return finite ? 0 : exit_code(ErrorKind::not_finite);
}

}  // namespace dflash
