#include "common/eval/greedy_check.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace dflash {
namespace {

constexpr double kNearTieGap = 1e-4;

/// Logits behind the last prompt token and behind every new token but the last, [new tokens, V].
at::Tensor plain_logits(const TargetModel& target, const Decoded& decoded) {
  const auto rows = static_cast<int64_t>(decoded.ids.size());
  const at::Tensor ids = at::tensor(decoded.ids, at::kLong);
  const std::array<int32_t, 2> starts{0, static_cast<int32_t>(rows)};
  at::Tensor last;
  target.forward_packed({ids, at::arange(rows, at::kLong), starts}, [&](int64_t layer, const at::Tensor& hidden) {
    if (layer + 1 == target.loaded_layers()) last = hidden;
  });
  return target.logits(last.narrow(0, decoded.prompt_tokens - 1, rows - decoded.prompt_tokens));
}

bool ends_where_it_should(const Decoded& decoded, const DecodeLimits& limits) {
  const auto is_stop = [&](int64_t id) {
    return std::find(limits.stop_tokens.begin(), limits.stop_tokens.end(), id) != limits.stop_tokens.end();
  };
  const auto first = decoded.ids.begin() + decoded.prompt_tokens;
  const auto stop = std::find_if(first, decoded.ids.end(), is_stop);
  const int64_t new_tokens = decoded.ids.end() - first;
  return stop == decoded.ids.end() ? new_tokens == limits.max_new_tokens : stop + 1 == decoded.ids.end();
}

}  // namespace

GreedyVerdict check_greedy(const TargetModel& target, const Decoded& decoded, const DecodeLimits& limits) {
  const c10::InferenceMode no_autograd;
  const at::Tensor logits = plain_logits(target, decoded);
  const at::Tensor best = logits.argmax(-1);
  const int64_t* choice = best.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < best.numel(); ++i) {
    if (choice[i] == decoded.ids[static_cast<size_t>(decoded.prompt_tokens + i)]) continue;
    const at::Tensor two = std::get<0>(logits.select(0, i).topk(2)).to(at::kDouble);
    return (two[0] - two[1]).item<double>() < kNearTieGap ? GreedyVerdict::near_tie : GreedyVerdict::different;
  }
  return ends_where_it_should(decoded, limits) ? GreedyVerdict::equal : GreedyVerdict::different;
}

}  // namespace dflash
