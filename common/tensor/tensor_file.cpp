#include "common/tensor/tensor_file.h"

#include <ATen/ATen.h>

#include <array>
#include <cstring>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr std::array<std::pair<DType, at::ScalarType>, 10> kTypes{{{DType::f32, at::kFloat},
                                                                   {DType::f64, at::kDouble},
                                                                   {DType::f16, at::kHalf},
                                                                   {DType::bf16, at::kBFloat16},
                                                                   {DType::i64, at::kLong},
                                                                   {DType::i32, at::kInt},
                                                                   {DType::i16, at::kShort},
                                                                   {DType::i8, at::kChar},
                                                                   {DType::u8, at::kByte},
                                                                   {DType::boolean, at::kBool}}};

DType dtype_of(at::ScalarType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  throw Error(ErrorKind::internal, format("tensors of type {} are not written to files", at::toString(type)));
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == dtype) return theirs;
  }
  throw Error(ErrorKind::internal, format("{} is a storage type, nothing is computed in it", dtype_code(dtype)));
}

at::Tensor copy_tensor(const TensorView& view, at::ScalarType type) {
  const at::Tensor stored = at::empty(view.shape, at::TensorOptions().dtype(scalar_type(view.dtype)));
  std::memcpy(stored.data_ptr(), view.bytes.data(), view.bytes.size());
  return stored.to(type);
}

at::Tensor load_tensor(ModelWeights& weights, const std::string& name, const std::vector<int64_t>& shape,
                       at::ScalarType type) {
  return copy_tensor(weights.tensor(name, shape), type);
}

std::map<std::string, at::Tensor> read_tensor_file(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  std::map<std::string, at::Tensor> tensors;
  for (const auto& [name, view] : file.tensors()) tensors[name] = copy_tensor(view, scalar_type(view.dtype));
  return tensors;
}

void write_tensor_file(const std::filesystem::path& path, const std::map<std::string, at::Tensor>& tensors) {
  std::map<std::string, TensorView> views;
  std::vector<at::Tensor> copies;  // of what lies on a device
  for (const auto& [name, there] : tensors) {
    TORCH_CHECK(there.is_contiguous(), "only contiguous tensors are written");
    const at::Tensor& tensor = there.is_cpu() ? there : copies.emplace_back(there.cpu());
    views[name] = TensorView{dtype_of(tensor.scalar_type()),
                             tensor.sizes().vec(),
                             {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}};
  }
  write_safetensors(path, views);
}

}  // namespace dflash
