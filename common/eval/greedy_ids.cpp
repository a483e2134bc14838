#include "common/eval/greedy_ids.h"

#include <ATen/ATen.h>

#include "common/base/error.h"

namespace dflash {

at::Tensor id_tensor(const std::vector<int64_t>& ids) {
  return at::from_blob(const_cast<int64_t*>(ids.data()), {static_cast<int64_t>(ids.size())}, at::kLong).clone();
}

std::vector<int64_t> best_ids(const at::Tensor& logits) {
  const at::Tensor best = logits.argmax(-1).contiguous();
  if (!logits.gather(-1, best.unsqueeze(-1)).isfinite().all().item<bool>()) {
    throw Error(ErrorKind::not_finite, "the logits are not finite: are the weights of target and drafter whole?");
  }
  const int64_t* ids = best.const_data_ptr<int64_t>();
  return {ids, ids + best.numel()};
}

}  // namespace dflash
