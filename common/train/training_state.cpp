#include "common/train/training_state.h"

#include <ATen/ATen.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/tensor/tensor_file.h"

namespace dflash {
namespace {

constexpr const char* kOptimizerFile = "state/optimizer.safetensors";
constexpr const char* kPositionFile = "state/position.json";

}  // namespace

void write_drafter(const std::filesystem::path& folder, const DrafterConfig& config,
                   const DrafterParameters& parameters) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& [name, leaf] : parameters.leaves()) tensors[name] = leaf.detach();
  write_tensor_file(folder / "model.safetensors", tensors);
  write_file_atomic(folder / "config.json", drafter_config_json(config).dump(1) + "\n");
}

std::vector<std::string> write_training_state(const std::filesystem::path& folder, const DrafterConfig& config,
                                              const DrafterParameters& parameters, const Optimizer& optimizer,
                                              const TrainingPosition& position) {
  std::map<std::string, at::Tensor> moments;
  for (const auto& [name, view] : parameters.views_of(optimizer.first_moment())) moments["first_moment." + name] = view;
  for (const auto& [name, view] : parameters.views_of(optimizer.second_moment()))
    moments["second_moment." + name] = view;
  write_tensor_file(folder / kOptimizerFile, moments);
  const Json json{{"step", position.step}, {"next_sequence", position.next_sequence}};
  write_file_atomic(folder / kPositionFile, json.dump(1) + "\n");
  write_drafter(folder / "drafter", config, parameters);
  return {kOptimizerFile, kPositionFile, "drafter/config.json", "drafter/model.safetensors"};
}

}  // namespace dflash
