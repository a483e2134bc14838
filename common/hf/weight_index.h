// model.safetensors.index.json: which file of a model folder holds which tensor.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dflash {

constexpr const char* kWeightIndexName = "model.safetensors.index.json";
constexpr const char* kWeightFileName = "model.safetensors";

/// Tensor name -> file name. Error{input_file} when it is no such index, names no tensor, or a name in it may leave the
/// folder (has '/', "..", a zero byte). Whether the files are there is not looked at.
[[nodiscard]] std::map<std::string, std::string> read_weight_index(const std::filesystem::path& path);

}  // namespace dflash
