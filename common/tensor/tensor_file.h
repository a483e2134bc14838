// Between safetensors files and tensors: loading with conversion, and views of tensors for writing.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "common/base/dtype.h"
#include "common/hf/model_weights.h"

namespace dflash {

/// The element type as LibTorch names it. Error{internal} for types we never compute with (fp8).
[[nodiscard]] at::ScalarType scalar_type(DType dtype);

/// A copy of one tensor of a file in `type` (the file's bytes may be unaligned and go away).
[[nodiscard]] at::Tensor copy_tensor(const TensorView& view, at::ScalarType type);

/// copy_tensor of weights.tensor(name, shape): checked by name and shape.
[[nodiscard]] at::Tensor load_tensor(ModelWeights& weights, const std::string& name, const std::vector<int64_t>& shape,
                                     at::ScalarType type);

/// All tensors of a safetensors file, in their own types.
[[nodiscard]] std::map<std::string, at::Tensor> read_tensor_file(const std::filesystem::path& path);

/// Writes contiguous tensors under their names (see write_safetensors).
void write_tensor_file(const std::filesystem::path& path, const std::map<std::string, at::Tensor>& tensors);

}  // namespace dflash
