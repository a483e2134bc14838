// WeightHeaders: what the safetensors headers of a model folder say, for looking at folders that may be broken. No
// tensor is read. Who wants to use the weights takes ModelWeights, which refuses what is collected as a problem here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/base/dtype.h"

namespace dflash {

struct StoredTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  int64_t element_count = 0;
  int64_t bytes = 0;
};

struct WeightHeaders {
  std::map<std::string, StoredTensor> tensors;
  /// Tensors of a shard that the index does not put there: who goes by the index does not see them, nor are they in
  /// `tensors` from there.
  std::vector<std::string> strays;
  /// The metadata of each file that could be opened, by the file's name.
  std::map<std::string, std::map<std::string, std::string>> metadata_of;
  /// The files that belong to the weights, whether they are there or not.
  std::vector<std::string> files;
  /// What stands in the way of loading all of it, one line each.
  std::vector<std::string> problems;

  /// Elements of all tensors but those of integers and flags.
  [[nodiscard]] int64_t parameter_count() const;
  [[nodiscard]] int64_t bytes() const;
};

/// What is in model.safetensors, or where the index says it is when there is an index. Throws nothing for what it finds
/// in the folder.
[[nodiscard]] WeightHeaders read_weight_headers(const std::filesystem::path& folder);

/// "BF16 (310 tensors), F32 (2 tensors)".
[[nodiscard]] std::string stored_dtypes_text(const WeightHeaders& weights);

}  // namespace dflash
