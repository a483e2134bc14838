#include "common/train/training_state.h"

#include <ATen/ATen.h>

#include <cstring>
#include <limits>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/tensor/tensor_file.h"

namespace dflash {
namespace {

constexpr const char* kOptimizerFile = "state/optimizer.safetensors";
constexpr const char* kPositionFile = "state/position.json";
constexpr const char* kWeightsName = "model.safetensors";

namespace fs = std::filesystem;
using Views = std::map<std::string, at::Tensor>;

/// Both moments cut by parameter name, as they stand in the file.
Views moment_views(const DrafterParameters& parameters, const Optimizer& optimizer) {
  Views moments;
  for (const auto& [name, view] : parameters.views_of(optimizer.first_moment())) moments["first_moment." + name] = view;
  for (const auto& [name, view] : parameters.views_of(optimizer.second_moment()))
    moments["second_moment." + name] = view;
  return moments;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::checkpoint, format("{}: {}; the checkpoint does not fit this run", path.string(), why));
}

void check_tensor(const fs::path& path, const std::string& name, const TensorView& found, const at::Tensor& expected) {
  if (found.dtype != DType::f32) {
    refuse(path, format("tensor '{}' is {}, expected {}", name, dtype_code(found.dtype), dtype_code(DType::f32)));
  }
  if (at::IntArrayRef(found.shape) != expected.sizes()) {
    refuse(path, format("tensor '{}' has shape [{}], expected [{}]", name, join(found.shape, ", "),
                        join(expected.sizes(), ", ")));
  }
}

/// Copies a file that holds exactly these tensors into them, straight from the mapping.
void restore(const fs::path& path, const Views& views) {
  const SafetensorsFile file(path);
  for (const auto& [name, found] : file.tensors()) {
    const auto view = views.find(name);
    if (view == views.end()) refuse(path, format("tensor '{}' is of no parameter", name));
    check_tensor(path, name, found, view->second);
  }
  for (const auto& [name, view] : views) {
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) refuse(path, format("tensor '{}' is missing", name));
    if (view.is_cpu()) {
      std::memcpy(view.data_ptr(), found->second.bytes.data(), found->second.bytes.size());
    } else {
      view.copy_(copy_tensor(found->second, at::kFloat));
    }
  }
}

int64_t read_count(const fs::path& path, const Json& json, const char* key, int64_t most) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  const bool fits = found != json.end() && found->is_number_integer();
  const int64_t value = fits ? found->get<int64_t>() : -1;
  if (value < 0 || value > most) refuse(path, format("key '{}' is no whole number from 0 to {}", key, most));
  return value;
}

TrainingPosition read_position(const fs::path& path, Optimizer& optimizer) {
  const Json json = read_json_file(path);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const TrainingPosition position{read_count(path, json, "step", kMost),
                                  read_count(path, json, "next_sequence", kMost)};
  optimizer.set_steps_done(read_count(path, json, "optimizer_steps", position.step));
  return position;
}

/// The drafter alone, as engines read it.
void write_drafter(const fs::path& folder, const DrafterConfig& config, const DrafterParameters& parameters) {
  Views tensors;
  for (const auto& [name, leaf] : parameters.leaves()) tensors[name] = leaf.detach();
  write_tensor_file(folder / kWeightsName, tensors);
  write_file_atomic(folder / "config.json", drafter_config_json(config).dump(1) + "\n");
}

}  // namespace

std::vector<std::string> write_training_state(const std::filesystem::path& folder, const DrafterConfig& config,
                                              const DrafterParameters& parameters, const Optimizer& optimizer,
                                              const TrainingPosition& position) {
  write_tensor_file(folder / kOptimizerFile, moment_views(parameters, optimizer));
  const Json json{
      {"step", position.step}, {"next_sequence", position.next_sequence}, {"optimizer_steps", optimizer.steps_done()}};
  write_file_atomic(folder / kPositionFile, json.dump(1) + "\n");
  write_drafter(folder / "drafter", config, parameters);
  return {kOptimizerFile, kPositionFile, "drafter/config.json", "drafter/model.safetensors"};
}

TrainingPosition read_training_state(const fs::path& folder, DrafterParameters& parameters, Optimizer& optimizer) {
  try {
    restore(folder / "drafter" / kWeightsName, parameters.views_of(parameters.values()));
    restore(folder / kOptimizerFile, moment_views(parameters, optimizer));
    return read_position(folder / kPositionFile, optimizer);
  } catch (const Error& error) {
    throw Error(ErrorKind::checkpoint, error.what());  // to the readers of files it is an input file
  }
}

}  // namespace dflash
