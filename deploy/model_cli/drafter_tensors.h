// The weights of an exported drafter folder.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "common/hf/drafter_config.h"

namespace dflash {

/// The drafter's own tensors, by name, in `type`; what else lies in the folder or the file is left alone.
/// Error{input_file} naming a tensor that is missing or misshapen.
[[nodiscard]] std::map<std::string, at::Tensor> load_drafter_tensors(const std::filesystem::path& folder,
                                                                     const DrafterConfig& config, at::ScalarType type);

}  // namespace dflash
