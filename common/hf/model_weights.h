// The weights of a Hugging Face model folder: model.safetensors, or the shards named by model.safetensors.index.json.
//
// Only shards that hold a tensor that is asked for are opened. Names in an index may not leave the folder (no '/', no
// ".."); symlinks inside a user's folder are followed. Folders that hold only *.bin or *.gguf are refused with advice.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "common/hf/safetensors.h"

namespace dflash {

class ModelWeights {
 public:
  /// Error{input_file} when the folder holds no safetensors weights, or the index is not to be trusted.
  explicit ModelWeights(const std::filesystem::path& folder);

  [[nodiscard]] bool contains(const std::string& name) const { return file_of_.contains(name); }
  /// Error{input_file} when there is no such tensor or its shape is not `shape` (both are named). Threading: one
  /// thread.
  [[nodiscard]] const TensorView& tensor(const std::string& name, const std::vector<int64_t>& shape);
  /// The same whatever its shape.
  [[nodiscard]] const TensorView& tensor(const std::string& name);
  /// All tensor names, in order.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> file_of_;  // tensor name -> file name
  std::map<std::string, std::unique_ptr<SafetensorsFile>> open_files_;
};

}  // namespace dflash
