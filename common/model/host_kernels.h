// Which of its two ways a model computes in: loops of our own for fp32 rows on the host, or plain LibTorch operations,
// which any device has.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>

namespace dflash {

/// For tests: while one lives, host tensors too take the way of plain operations, as on a GPU. Threading: process-wide.
class PlainOperations {
 public:
  PlainOperations() { ++alive_; }
  ~PlainOperations() { --alive_; }
  PlainOperations(const PlainOperations&) = delete;
  PlainOperations& operator=(const PlainOperations&) = delete;
  [[nodiscard]] static bool wanted() { return alive_ > 0; }

 private:
  static inline std::atomic<int> alive_ = 0;
};

[[nodiscard]] inline bool on_host(at::Device device) {
  return device.is_cpu() && !PlainOperations::wanted();
}
[[nodiscard]] inline bool use_host_kernels(const at::Tensor& x) {
  return on_host(x.device()) && x.scalar_type() == at::kFloat;
}

}  // namespace dflash
