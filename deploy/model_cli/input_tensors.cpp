#include "deploy/model_cli/input_tensors.h"

#include <ATen/ATen.h>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/tensor/tensor_file.h"

namespace dflash {
namespace {

std::string shape_text(const std::vector<int64_t>& shape) {
  std::vector<std::string> extents;
  for (const int64_t extent : shape) extents.push_back(extent < 0 ? "any" : format("{}", extent));
  return format("[{}]", join(extents, ", "));
}

bool fits(const at::Tensor& tensor, const std::vector<int64_t>& shape) {
  if (tensor.dim() != static_cast<int64_t>(shape.size())) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t extent = tensor.size(static_cast<int64_t>(i));
    if (shape[i] < 0 ? extent == 0 : extent != shape[i]) return false;
  }
  return true;
}

}  // namespace

InputTensors::InputTensors(std::string path) : path_(std::move(path)), tensors_(read_tensor_file(path_)) {}

const at::Tensor& InputTensors::shaped(const std::string& name, const std::vector<int64_t>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw Error(ErrorKind::input_file,
                format("{}: there is no tensor '{}', expected shape {}", path_, name, shape_text(shape)));
  }
  if (!fits(found->second, shape)) {
    refuse(name, format("has shape {}, expected {}", shape_text(found->second.sizes().vec()), shape_text(shape)));
  }
  return found->second;
}

at::Tensor InputTensors::integers(const std::string& name, const std::vector<int64_t>& shape, int64_t least,
                                  int64_t most) const {
  const at::Tensor& stored = shaped(name, shape);
  if (at::isFloatingType(stored.scalar_type())) refuse(name, "holds fractions: expected integers");
  at::Tensor values = stored.to(at::kLong).contiguous();
  const int64_t low = values.min().item<int64_t>(), high = values.max().item<int64_t>();
  if (low < least || high > most) {
    refuse(name, format("holds {}: expected {} to {}", low < least ? low : high, least, most));
  }
  return values;
}

at::Tensor InputTensors::numbers(const std::string& name, const std::vector<int64_t>& shape) const {
  const at::Tensor& stored = shaped(name, shape);
  if (!at::isFloatingType(stored.scalar_type())) refuse(name, "holds no floating point numbers");
  return stored.to(at::kFloat).contiguous();
}

void InputTensors::refuse(const std::string& name, const std::string& why) const {
  throw Error(ErrorKind::input_file, format("{}: tensor '{}' {}", path_, name, why));
}

}  // namespace dflash
