// What a checkpoint holds of a training run: the drafter, the optimizer's moments by parameter name, and where it
// stood. A run that reads it goes on with the same bits.
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
/// `folder`, and drafter/{config.json, model.safetensors} in the exported form. position.json also holds the number of
/// updates the optimizer made: less than the steps when a step had nothing to train on. Returns the files' paths
/// relative to `folder`.
[[nodiscard]] std::vector<std::string> write_training_state(const std::filesystem::path& folder,
                                                            const DrafterConfig& config,
                                                            const DrafterParameters& parameters,
                                                            const Optimizer& optimizer,
                                                            const TrainingPosition& position);

/// Fills parameters, moments and the optimizer's counter from a checkpoint's folder, fp32 to fp32. Error{checkpoint}
/// naming the file for what is missing, surplus, misshapen or of another type; then the parameters may be half filled.
[[nodiscard]] TrainingPosition read_training_state(const std::filesystem::path& folder, DrafterParameters& parameters,
                                                   Optimizer& optimizer);

}  // namespace dflash
