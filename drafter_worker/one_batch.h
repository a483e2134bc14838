// One recorded batch, trained on alone: to see again what a run wrote into bad_batches.jsonl.
#pragma once

#include "drafter_worker/replay_command.h"

namespace dflash {

/// Prints one line of JSON: {"sequence", "finite" (the states), "loss", "grad_norm" (null when not finite), "tensors":
/// statistics of the captured layers, as in nan_guard.h}. Changes nothing. Returns 0, or 16 when states, loss or
/// gradient are not finite. Error{input_file} for a folder that does not hold the batch, {config} for one whose batches
/// are laid out differently.
[[nodiscard]] int look_at_batch(const ReplayCommand& command);

}  // namespace dflash
