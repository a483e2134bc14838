#include "common/hf/weight_headers.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/folder_files.h"
#include "common/hf/model_weights.h"
#include "common/hf/names_text.h"
#include "common/hf/safetensors.h"
#include "common/hf/weight_index.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

void add_tensor(const std::string& name, const TensorView& view, WeightHeaders& weights) {
  weights.tensors[name] = {view.dtype, view.shape, view.element_count(), static_cast<int64_t>(view.bytes.size())};
}

void add_only_file(const fs::path& folder, WeightHeaders& weights) {
  weights.files = {kWeightFileName};
  const SafetensorsFile file(folder / kWeightFileName);
  weights.metadata_of[kWeightFileName] = file.metadata();
  for (const auto& [name, view] : file.tensors()) add_tensor(name, view, weights);
}

/// `indexed`: the tensors that the index puts into this file.
void add_shard(const fs::path& path, const std::set<std::string>& indexed, WeightHeaders& weights) {
  const SafetensorsFile file(path);
  weights.metadata_of[path.filename().string()] = file.metadata();
  std::vector<std::string> absent;
  for (const std::string& name : indexed) {
    const auto place = file.tensors().find(name);
    if (place == file.tensors().end()) {
      absent.push_back(name);
    } else {
      add_tensor(name, place->second, weights);
    }
  }
  for (const auto& [name, view] : file.tensors()) {
    if (!indexed.contains(name)) weights.strays.push_back(name);
  }
  if (absent.empty()) return;
  weights.problems.push_back(
      format("{}: tensors that {} puts there are not in it: {}", path.string(), kWeightIndexName, names_text(absent)));
}

void add_shards(const fs::path& folder, WeightHeaders& weights) {
  std::map<std::string, std::set<std::string>> tensors_of;  // by file, as the index has it
  for (const auto& [tensor, file] : read_weight_index(folder / kWeightIndexName)) tensors_of[file].insert(tensor);
  for (const auto& [file, tensors] : tensors_of) {
    weights.files.push_back(file);
    try {
      add_shard(folder / file, tensors, weights);
    } catch (const Error& error) {
      weights.problems.emplace_back(error.what());
    }
  }
}

void add_all(const fs::path& folder, WeightHeaders& weights) {
  if (stands_in(folder, kWeightIndexName)) {
    add_shards(folder, weights);
  } else if (stands_in(folder, kWeightFileName)) {
    add_only_file(folder, weights);
  } else {
    (void)ModelWeights(folder);  // refuses, with advice for folders of other formats
  }
}

bool is_floating(DType dtype) {
  constexpr std::array floating{DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8_e4m3, DType::f8_e5m2};
  return std::ranges::find(floating, dtype) != floating.end();
}

}  // namespace

int64_t WeightHeaders::parameter_count() const {
  int64_t count = 0;
  for (const auto& [name, tensor] : tensors) {
    if (is_floating(tensor.dtype)) count += tensor.element_count;
  }
  return count;
}

int64_t WeightHeaders::bytes() const {
  int64_t count = 0;
  for (const auto& [name, tensor] : tensors) count += tensor.bytes;
  return count;
}

WeightHeaders read_weight_headers(const fs::path& folder) {
  WeightHeaders weights;
  try {
    add_all(folder, weights);
  } catch (const Error& error) {
    weights.problems.emplace_back(error.what());
  }
  return weights;
}

std::string stored_dtypes_text(const WeightHeaders& weights) {
  std::map<std::string, int64_t> count_of;
  for (const auto& [name, tensor] : weights.tensors) ++count_of[std::string(dtype_code(tensor.dtype))];
  std::vector<std::string> parts;
  for (const auto& [code, count] : count_of) parts.push_back(format("{} ({} tensors)", code, count));
  return format("{}", join(parts, ", "));
}

}  // namespace dflash
