#include "common/hf/model_weights.h"

#include "common/base/format.h"
#include "common/hf/folder_files.h"
#include "common/hf/tensor_shapes.h"
#include "common/hf/weight_index.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    files.push_back(entry->path());
  }
  if (error) refuse_file(folder, format("the folder cannot be read: {}", error.message()));
  return files;
}

[[noreturn]] void refuse_without_safetensors(const fs::path& folder) {
  for (const fs::path& file : files_of(folder)) {
    const std::string extension = file.extension().string();
    if (extension == ".bin" || extension == ".pt" || extension == ".pth") {
      refuse_file(folder,
                  format("holds '{}' but no safetensors weights: load the model once with transformers and write it "
                         "with save_pretrained(folder, safe_serialization=True)",
                         file.filename().string()));
    }
    if (extension == ".gguf") {
      refuse_file(folder,
                  format("holds '{}' but no safetensors weights: GGUF is not read, use the original model folder in "
                         "safetensors format",
                         file.filename().string()));
    }
  }
  refuse_file(folder, format("no weights here: expected {} or {}", kWeightFileName, kWeightIndexName));
}

/// The index, with every file it names there.
std::map<std::string, std::string> read_complete_index(const fs::path& path) {
  std::map<std::string, std::string> file_of = read_weight_index(path);
  for (const auto& [tensor, file] : file_of) {
    std::error_code unreadable;
    if (fs::is_regular_file(path.parent_path() / file, unreadable)) continue;
    refuse_file(
        path, format("weight_map '{}': there is no file '{}' in the folder; is the download complete?", tensor, file));
  }
  return file_of;
}

}  // namespace

ModelWeights::ModelWeights(const fs::path& folder) : folder_(folder) {
  std::error_code unreadable;
  if (!fs::is_directory(folder, unreadable))
    refuse_file(folder, "no such folder: expected a model folder in Hugging Face layout");
  if (stands_in(folder, kWeightIndexName)) {
    file_of_ = read_complete_index(folder / kWeightIndexName);
  } else if (stands_in(folder, kWeightFileName)) {
    auto file = std::make_unique<SafetensorsFile>(folder / kWeightFileName);
    for (const auto& [name, view] : file->tensors()) file_of_.emplace(name, kWeightFileName);
    open_files_.emplace(kWeightFileName, std::move(file));
  } else {
    refuse_without_safetensors(folder);
  }
}

const TensorView& ModelWeights::tensor(const std::string& name, const std::vector<int64_t>& shape) {
  const TensorView& view = tensor(name);
  if (view.shape != shape) {
    refuse_file(folder_,
                format("tensor '{}' has shape {}, expected {}", name, shape_text(view.shape), shape_text(shape)));
  }
  return view;
}

const TensorView& ModelWeights::tensor(const std::string& name) {
  const auto place = file_of_.find(name);
  if (place == file_of_.end()) refuse_file(folder_, format("there is no tensor '{}'", name));
  std::unique_ptr<SafetensorsFile>& file = open_files_[place->second];
  if (!file) file = std::make_unique<SafetensorsFile>(folder_ / place->second);
  const auto view = file->tensors().find(name);
  if (view == file->tensors().end()) {
    refuse_file(folder_, format("tensor '{}' is not in '{}', where {} puts it", name, place->second, kWeightIndexName));
  }
  return view->second;
}

std::vector<std::string> ModelWeights::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : file_of_) names.push_back(name);
  return names;
}

}  // namespace dflash
