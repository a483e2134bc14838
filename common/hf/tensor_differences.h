// What a folder's tensors lack, and have too much, against the tensors that its config.json asks for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/hf/tensor_shapes.h"
#include "common/hf/weight_headers.h"

namespace dflash {

struct TensorDifferences {
  std::vector<std::string> missing;
  std::vector<std::string> misshapen;  // "fc.weight [48, 48] instead of [48, 96]"
  std::vector<std::string> surplus;
};

/// Rotary tables are nobody's concern: every reader computes its own.
[[nodiscard]] TensorDifferences compare_tensors(const std::vector<TensorShape>& expected,
                                                const std::map<std::string, StoredTensor>& stored);

}  // namespace dflash
