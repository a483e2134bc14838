#include "common/eval/greedy_check.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dflash {
namespace {

constexpr double kNearTieGap = 1e-4;

/// The last layer's hidden states of all texts, one behind the other.
at::Tensor plain_hidden(const TargetModel& target, std::span<const Decoded> texts) {
  std::vector<int64_t> ids;
  std::vector<int32_t> starts{0};
  std::vector<at::Tensor> positions;
  for (const Decoded& text : texts) {
    ids.insert(ids.end(), text.ids.begin(), text.ids.end());
    starts.push_back(static_cast<int32_t>(ids.size()));
    positions.push_back(at::arange(static_cast<int64_t>(text.ids.size()), at::kLong));
  }
  at::Tensor last;
  target.forward_packed({at::tensor(ids, at::kLong), at::cat(positions), starts},
                        [&](int64_t layer, const at::Tensor& hidden) {
                          if (layer + 1 == target.loaded_layers()) last = hidden;
                        });
  return last;
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

/// `hidden`: the rows of one text.
GreedyVerdict check_text(const TargetModel& target, const Decoded& text, const at::Tensor& hidden,
                         const DecodeLimits& limits) {
  const at::Tensor logits =
      target.logits(hidden.narrow(0, text.prompt_tokens - 1, hidden.size(0) - text.prompt_tokens));
  const at::Tensor best = logits.argmax(-1);
  const int64_t* choice = best.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < best.numel(); ++i) {
    if (choice[i] == text.ids[static_cast<size_t>(text.prompt_tokens + i)]) continue;
    const at::Tensor two = std::get<0>(logits.select(0, i).topk(2)).to(at::kDouble);
    return (two[0] - two[1]).item<double>() < kNearTieGap ? GreedyVerdict::near_tie : GreedyVerdict::different;
  }
  return ends_where_it_should(text, limits) ? GreedyVerdict::equal : GreedyVerdict::different;
}

}  // namespace

std::vector<GreedyVerdict> check_greedy(const TargetModel& target, std::span<const Decoded> texts,
                                        const DecodeLimits& limits) {
  const c10::InferenceMode no_autograd;
  const at::Tensor hidden = plain_hidden(target, texts);
  std::vector<GreedyVerdict> verdicts;
  int64_t first = 0;
  for (const Decoded& text : texts) {
    const auto rows = static_cast<int64_t>(text.ids.size());
    verdicts.push_back(check_text(target, text, hidden.narrow(0, first, rows), limits));
    first += rows;
  }
  return verdicts;
}

}  // namespace dflash
