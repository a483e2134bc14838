#include "common/hf/model_weights.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr const char* kSingleName = "model.safetensors";

[[noreturn]] void refuse(const fs::path& where, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", where.string(), why));
}

/// True also for a broken link, which opening then complains about by name.
bool stands_in(const fs::path& folder, const char* name) {
  return fs::exists(fs::symlink_status(folder / name));
}

[[noreturn]] void refuse_without_safetensors(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".bin" || extension == ".pt" || extension == ".pth") {
      refuse(folder, format("holds '{}' but no safetensors weights: load the model once with transformers and write it "
                            "with save_pretrained(folder, safe_serialization=True)",
                            entry.path().filename().string()));
    }
    if (extension == ".gguf") {
      refuse(folder, format("holds '{}' but no safetensors weights: GGUF is not read, use the original model folder in "
                            "safetensors format",
                            entry.path().filename().string()));
    }
  }
  refuse(folder, format("no weights here: expected {} or {}", kSingleName, kIndexName));
}

bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name != "." && name.find('/') == std::string::npos && name.find("..") == std::string::npos &&
         name.find('\0') == std::string::npos;
}

std::map<std::string, std::string> read_index(const fs::path& path) {
  const Json index = read_json_file(path);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    refuse(path, "expected an object with weight_map {tensor: file}");
  }
  std::map<std::string, std::string> file_of;
  for (const auto& item : index["weight_map"].items()) {
    if (!item.value().is_string()) refuse(path, format("weight_map '{}': expected a file name", item.key()));
    const auto file = item.value().get<std::string>();
    if (!is_plain_file_name(file)) {
      refuse(path, format("weight_map '{}': no plain file name inside the folder: '{}'", item.key(), file));
    }
    if (!fs::is_regular_file(path.parent_path() / file)) {
      refuse(path, format("weight_map '{}': there is no file '{}' in the folder; is the download complete?", item.key(),
                          file));
    }
    file_of.emplace(item.key(), file);
  }
  if (file_of.empty()) refuse(path, "weight_map is empty");
  return file_of;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return format("[{}]", join(shape, ", "));
}

}  // namespace

ModelWeights::ModelWeights(const fs::path& folder) : folder_(folder) {
  if (!fs::is_directory(folder)) refuse(folder, "no such folder: expected a model folder in Hugging Face layout");
  if (stands_in(folder, kIndexName)) {
    file_of_ = read_index(folder / kIndexName);
  } else if (stands_in(folder, kSingleName)) {
    auto file = std::make_unique<SafetensorsFile>(folder / kSingleName);
    for (const auto& [name, view] : file->tensors()) file_of_.emplace(name, kSingleName);
    open_files_.emplace(kSingleName, std::move(file));
  } else {
    refuse_without_safetensors(folder);
  }
}

const TensorView& ModelWeights::tensor(const std::string& name, const std::vector<int64_t>& shape) {
  const TensorView& view = tensor(name);
  if (view.shape != shape) {
    refuse(folder_, format("tensor '{}' has shape {}, expected {}", name, shape_text(view.shape), shape_text(shape)));
  }
  return view;
}

const TensorView& ModelWeights::tensor(const std::string& name) {
  const auto place = file_of_.find(name);
  if (place == file_of_.end()) refuse(folder_, format("there is no tensor '{}'", name));
  std::unique_ptr<SafetensorsFile>& file = open_files_[place->second];
  if (!file) file = std::make_unique<SafetensorsFile>(folder_ / place->second);
  const auto view = file->tensors().find(name);
  if (view == file->tensors().end()) {
    refuse(folder_, format("tensor '{}' is not in '{}', where {} puts it", name, place->second, kIndexName));
  }
  return view->second;
}

std::vector<std::string> ModelWeights::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : file_of_) names.push_back(name);
  return names;
}

}  // namespace dflash
