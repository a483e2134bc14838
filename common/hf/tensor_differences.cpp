#include "common/hf/tensor_differences.h"

#include <set>

#include "common/base/format.h"

namespace dflash {

TensorDifferences compare_tensors(const std::vector<TensorShape>& expected,
                                  const std::map<std::string, StoredTensor>& stored) {
  TensorDifferences found;
  std::set<std::string> known;
  for (const TensorShape& tensor : expected) {
    known.insert(tensor.name);
    const auto place = stored.find(tensor.name);
    if (place == stored.end()) {
      found.missing.push_back(tensor.name);
    } else if (place->second.shape != tensor.shape) {
      found.misshapen.push_back(
          format("{} {} instead of {}", tensor.name, shape_text(place->second.shape), shape_text(tensor.shape)));
    }
  }
  for (const auto& [name, tensor] : stored) {
    const bool rotary_table = name.find("rotary_emb.") != std::string::npos;
    if (!rotary_table && !known.contains(name)) found.surplus.push_back(name);
  }
  return found;
}

}  // namespace dflash
