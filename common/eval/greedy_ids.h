// Token ids on their way into a model, and the greedy choice of the next ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dflash {

/// [n] int64, a copy.
[[nodiscard]] at::Tensor id_tensor(const std::vector<int64_t>& ids);

/// argmax of every row of logits [n, V]; the lowest id wins a tie. Error{not_finite}: a NaN counts as the largest, so
/// the best shows it.
[[nodiscard]] std::vector<int64_t> best_ids(const at::Tensor& logits);

}  // namespace dflash
