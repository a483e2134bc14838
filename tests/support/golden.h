// Reference numbers: where they lie, and how close is equal.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "common/base/json.h"
#include "common/tensor/tensor_file.h"
#include "tests/support/paths.h"

namespace dflash::test {

using Tensors = std::map<std::string, at::Tensor>;

inline std::filesystem::path golden_folder(const std::string& name) {
  return source_dir() / "tests" / "golden" / name;
}

inline Json golden_case(const std::string& name) {
  return read_json_file(golden_folder(name) / "case.json");
}
inline Tensors golden_tensors(const std::string& name, const std::string& file) {
  return read_tensor_file(golden_folder(name) / file);
}

/// max|ours - expected| / max|expected|, the measure of golden/drafter.
inline double error_relative_to_max(const at::Tensor& ours, const at::Tensor& expected) {
  const at::Tensor wide = expected.to(at::kDouble);
  return ((ours.detach().to(at::kDouble) - wide).abs().max() / wide.abs().max()).item<double>();
}

/// rms(ours - expected) / rms(expected), one measure of golden/target.
inline double relative_rms(const at::Tensor& ours, const at::Tensor& expected) {
  const at::Tensor wide = expected.to(at::kDouble);
  return ((ours.to(at::kDouble) - wide).square().mean().sqrt() / wide.square().mean().sqrt()).item<double>();
}

/// The largest |ours - expected| - 1e-4 |expected|: at most atol when the tensors agree (the other measure).
inline double excess_error(const at::Tensor& ours, const at::Tensor& expected) {
  const at::Tensor wide = expected.to(at::kDouble);
  return ((ours.to(at::kDouble) - wide).abs() - 1e-4 * wide.abs()).max().item<double>();
}

}  // namespace dflash::test
