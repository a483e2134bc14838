// InputTensors: the tensors of a safetensors file that a command is given; every complaint names file and tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/hf/safetensors.h"

namespace dflash {

/// The largest document id and position: what fits the batches of a run.
constexpr int64_t kLargestId = std::numeric_limits<int32_t>::max();

class InputTensors {
 public:
  /// Error{input_file} when the file cannot be read.
  explicit InputTensors(std::string path);

  [[nodiscard]] bool has(const std::string& name) const { return file_.tensors().contains(name); }
  /// Whole numbers (or flags) as int64, every one in [least, most]. `shape`: what the tensor must have, -1 for any
  /// extent above 0.
  [[nodiscard]] at::Tensor integers(const std::string& name, const std::vector<int64_t>& shape, int64_t least,
                                    int64_t most) const;
  /// Finite numbers as fp32.
  [[nodiscard]] at::Tensor numbers(const std::string& name, const std::vector<int64_t>& shape) const;
  /// `documents` [T]: every number but a negative one (padding) stands in one run; attention knows no holes.
  void check_runs(const std::string& name, const at::Tensor& documents) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  [[nodiscard]] at::Tensor shaped(const std::string& name, const std::vector<int64_t>& shape) const;

  std::string path_;
  SafetensorsFile file_;
};

}  // namespace dflash
