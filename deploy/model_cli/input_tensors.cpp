#include "deploy/model_cli/input_tensors.h"

#include <ATen/ATen.h>

#include <set>

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

bool fits(const std::vector<int64_t>& found, const std::vector<int64_t>& shape) {
  if (found.size() != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 ? found[i] == 0 : found[i] != shape[i]) return false;
  }
  return true;
}

}  // namespace

InputTensors::InputTensors(std::string path) : path_(std::move(path)), file_(path_) {}

at::Tensor InputTensors::shaped(const std::string& name, const std::vector<int64_t>& shape) const {
  const auto found = file_.tensors().find(name);
  if (found == file_.tensors().end()) {
    throw Error(ErrorKind::input_file,
                format("{}: there is no tensor '{}', expected shape {}", path_, name, shape_text(shape)));
  }
  const TensorView& view = found->second;
  if (!fits(view.shape, shape)) {
    refuse(name, format("has shape {}, expected {}", shape_text(view.shape), shape_text(shape)));
  }
  if (view.dtype == DType::f8_e4m3 || view.dtype == DType::f8_e5m2) refuse(name, "is fp8, which is not computed with");
  return copy_tensor(view, scalar_type(view.dtype));
}

at::Tensor InputTensors::integers(const std::string& name, const std::vector<int64_t>& shape, int64_t least,
                                  int64_t most) const {
  const at::Tensor stored = shaped(name, shape);
  if (at::isFloatingType(stored.scalar_type())) refuse(name, "holds fractions: expected integers");
  at::Tensor values = stored.to(at::kLong).contiguous();
  const int64_t low = values.min().item<int64_t>(), high = values.max().item<int64_t>();
  if (low < least || high > most) {
    refuse(name, format("holds {}: expected {} to {}", low < least ? low : high, least, most));
  }
  return values;
}

at::Tensor InputTensors::numbers(const std::string& name, const std::vector<int64_t>& shape) const {
  const at::Tensor stored = shaped(name, shape);
  if (!at::isFloatingType(stored.scalar_type())) refuse(name, "holds no floating point numbers");
  at::Tensor values = stored.to(at::kFloat).contiguous();
  if (!values.isfinite().all().item<bool>()) refuse(name, "holds numbers that are not finite");
  return values;
}

void InputTensors::check_runs(const std::string& name, const at::Tensor& documents) const {
  const at::Tensor numbers = documents.to(at::kLong).contiguous();
  const int64_t* document = numbers.const_data_ptr<int64_t>();
  std::set<int64_t> seen;
  for (int64_t t = 0; t < numbers.size(0); ++t) {
    if (document[t] < 0 || (t > 0 && document[t] == document[t - 1])) continue;
    if (!seen.insert(document[t]).second) {
      refuse(name, format("has a hole: position {} goes on with what ended before", t));
    }
  }
}

void InputTensors::refuse(const std::string& name, const std::string& why) const {
  throw Error(ErrorKind::input_file, format("{}: tensor '{}' {}", path_, name, why));
}

}  // namespace dflash
