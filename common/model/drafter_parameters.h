// DrafterParameters: the drafter's trainable tensors as views of one flat fp32 buffer, their gradients of another.
//
// The optimizer, the clipping and (later) the sum over drafters work on the two flat tensors; the network sees leaves
// with the z-lab names and shapes (dflash-semantics 2.2). Autograd adds into the gradient views, so gradients of
// micro-steps sum up until zero_gradients().
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/hf/drafter_config.h"
#include "common/hf/tensor_shapes.h"

namespace dflash {

class DrafterParameters {
 public:
  /// All zero, on `device`.
  explicit DrafterParameters(const DrafterConfig& config, at::Device device = at::kCPU);

  /// First weights: matrices N(0, 0.02) from counters keyed by (seed, name, element), biases 0, norms 1, query and key
  /// norms `qk_norm_init`. Independent of the layout of the buffer and of who holds it.
  void initialize(uint64_t seed, double qk_norm_init);
  /// Copies of the same names and shapes; Error{input_file} naming a tensor that is missing, surplus or misshapen.
  void load(const std::map<std::string, at::Tensor>& tensors);

  [[nodiscard]] const at::Tensor& at(const std::string& name) const { return leaves_.at(name); }
  [[nodiscard]] const std::map<std::string, at::Tensor>& leaves() const { return leaves_; }
  [[nodiscard]] const at::Tensor& values() const { return values_; }        // [P]
  [[nodiscard]] const at::Tensor& gradients() const { return gradients_; }  // [P]
  void zero_gradients();

  /// The same cut of another flat tensor [P] (an optimizer moment), by name.
  [[nodiscard]] std::map<std::string, at::Tensor> views_of(const at::Tensor& flat) const;

 private:
  std::vector<TensorShape> shapes_;
  at::Tensor values_;
  at::Tensor gradients_;
  std::map<std::string, at::Tensor> leaves_;
};

}  // namespace dflash
