// What a checkpoint holds of a training run, beside the drafter itself: the optimizer's moments, by parameter name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/model/drafter_parameters.h"
#include "common/train/optimizer.h"

namespace dflash {

/// Where a run stands after a step.
struct TrainingPosition {
  int64_t step = 0;           // optimizer steps done
  int64_t next_sequence = 0;  // first batch that is not trained yet
};

/// Writes state/optimizer.safetensors (first_moment.NAME, second_moment.NAME, fp32) and state/position.json below
/// `folder`, and drafter/{config.json, model.safetensors} in the exported form. Returns the files' paths relative to
/// `folder`.
[[nodiscard]] std::vector<std::string> write_training_state(const std::filesystem::path& folder,
                                                            const DrafterConfig& config,
                                                            const DrafterParameters& parameters,
                                                            const Optimizer& optimizer,
                                                            const TrainingPosition& position);

/// The drafter alone, as engines read it: config.json and model.safetensors in `folder`.
void write_drafter(const std::filesystem::path& folder, const DrafterConfig& config,
                   const DrafterParameters& parameters);

}  // namespace dflash
