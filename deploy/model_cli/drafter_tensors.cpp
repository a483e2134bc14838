#include "deploy/model_cli/drafter_tensors.h"

#include "common/hf/tensor_shapes.h"
#include "common/tensor/tensor_file.h"

namespace dflash {

std::map<std::string, at::Tensor> load_drafter_tensors(const std::filesystem::path& folder, const DrafterConfig& config,
                                                       at::ScalarType type) {
  ModelWeights weights(folder);
  std::map<std::string, at::Tensor> tensors;
  for (const TensorShape& tensor : drafter_tensor_shapes(config)) {
    tensors[tensor.name] = load_tensor(weights, tensor.name, tensor.shape, type);
  }
  return tensors;
}

}  // namespace dflash
