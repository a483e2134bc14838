// RMSNorm over the last dimension: in one pass over memory in each direction where training spends its time (fp32 rows
// on the host), by plain tensor operations elsewhere.
#pragma once

#include <ATen/core/Tensor.h>

namespace dflash {

/// x / sqrt(mean(x^2) + eps) in fp32, cast back to x's type, times weight (dflash-semantics 1.1). Any leading
/// dimensions.
[[nodiscard]] at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

}  // namespace dflash
