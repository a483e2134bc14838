#include "common/model/drafter_parameters.h"

#include <ATen/ATen.h>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/base/random.h"

namespace dflash {
namespace {

constexpr double kWeightStandardDeviation = 0.02;  // initializer_range of every released drafter

int64_t element_count(const TensorShape& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) count *= extent;
  return count;
}

bool ends_with(const std::string& name, const std::string& ending) {
  return name.ends_with(ending + ".weight");
}

void fill_normal(const at::Tensor& leaf, uint64_t seed, const std::string& name) {
  const CounterRandom random(seed, RandomPurpose::weights, hash_text(name));
  const at::Tensor host = leaf.is_cpu() ? leaf : at::empty(leaf.sizes(), at::kFloat);
  float* values = host.data_ptr<float>();
  for (int64_t i = 0; i < leaf.numel(); ++i) {
    values[i] = static_cast<float>(kWeightStandardDeviation * random.normal(static_cast<uint64_t>(i)));
  }
  if (!leaf.is_cpu()) leaf.copy_(host);
}

}  // namespace

DrafterParameters::DrafterParameters(const DrafterConfig& config, at::Device device)
    : shapes_(drafter_tensor_shapes(config)) {
  int64_t count = 0;
  for (const TensorShape& tensor : shapes_) count += element_count(tensor);
  values_ = at::zeros({count}, at::TensorOptions(device).dtype(at::kFloat));
  gradients_ = at::zeros_like(values_);
  const auto gradients = views_of(gradients_);
  for (const auto& [name, view] : views_of(values_)) {
    at::Tensor leaf = view.detach();
    leaf.set_requires_grad(true);
    leaf.mutable_grad() = gradients.at(name);
    leaves_[name] = leaf;
  }
}

void DrafterParameters::initialize(uint64_t seed, double qk_norm_init) {
  const at::NoGradGuard no_autograd;
  for (auto& [name, leaf] : leaves_) {
    if (leaf.dim() == 2) {
      fill_normal(leaf, seed, name);
    } else if (name.ends_with(".bias")) {
      leaf.zero_();
    } else {
      leaf.fill_(ends_with(name, "q_norm") || ends_with(name, "k_norm") ? qk_norm_init : 1.0);
    }
  }
}

void DrafterParameters::load(const std::map<std::string, at::Tensor>& tensors) {
  const at::NoGradGuard no_autograd;
  for (const auto& [name, tensor] : tensors) {
    if (!leaves_.contains(name))
      throw Error(ErrorKind::input_file, format("tensor {} does not belong to this drafter", name));
  }
  for (auto& [name, leaf] : leaves_) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) throw Error(ErrorKind::input_file, format("the drafter's tensor {} is missing", name));
    if (found->second.sizes() != leaf.sizes()) {
      throw Error(ErrorKind::input_file, format("tensor {} has shape [{}], expected [{}]", name,
                                                join(found->second.sizes(), ", "), join(leaf.sizes(), ", ")));
    }
    leaf.copy_(found->second);
  }
}

void DrafterParameters::zero_gradients() {
  gradients_.zero_();
}

std::map<std::string, at::Tensor> DrafterParameters::views_of(const at::Tensor& flat) const {
  std::map<std::string, at::Tensor> views;
  int64_t start = 0;
  for (const TensorShape& tensor : shapes_) {
    const int64_t count = element_count(tensor);
    views[tensor.name] = flat.narrow(0, start, count).view(tensor.shape);
    start += count;
  }
  return views;
}

}  // namespace dflash
