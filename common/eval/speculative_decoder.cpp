#include "common/eval/speculative_decoder.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dflash {
namespace {

at::Tensor id_tensor(const std::vector<int64_t>& ids) {
  return at::from_blob(const_cast<int64_t*>(ids.data()), {static_cast<int64_t>(ids.size())}, at::kLong).clone();
}

/// argmax of every row; the lowest id wins a tie.
std::vector<int64_t> best_ids(const at::Tensor& logits) {
  const at::Tensor best = logits.argmax(-1).contiguous();
  const int64_t* ids = best.const_data_ptr<int64_t>();
  return {ids, ids + best.numel()};
}

int64_t leading_matches(const std::vector<int64_t>& draft, const std::vector<int64_t>& posterior) {
  const auto [mine, theirs] = std::mismatch(draft.begin(), draft.end(), posterior.begin());
  return mine - draft.begin();
}

}  // namespace

/// Everything that belongs to the text being decoded.
struct SpeculativeDecoder::Sequence {
  std::vector<int64_t> ids;
  int64_t end = 0;  // most tokens the text may have
  KvCache target_cache;
  KvCache draft_cache;
  at::Tensor features;  // [rows, K*H]: captured states of the rows of the target's last forward
  int64_t fresh_rows = 0;  // of them, verified and not yet seen by the drafter
};

SpeculativeDecoder::SpeculativeDecoder(const TargetModel& target, const DrafterModel& drafter, DecodeLimits limits)
    : target_(target), drafter_(drafter), limits_(std::move(limits)) {}

bool SpeculativeDecoder::is_stop(int64_t id) const {
  return std::find(limits_.stop_tokens.begin(), limits_.stop_tokens.end(), id) != limits_.stop_tokens.end();
}

Decoded SpeculativeDecoder::decode(const std::vector<int64_t>& prompt) const {
  const c10::InferenceMode no_autograd;
  const auto prompt_tokens = static_cast<int64_t>(prompt.size());
  const int64_t end = prompt_tokens + limits_.max_new_tokens;
  Sequence sequence{prompt, end, target_.make_cache(end), drafter_.make_cache(end), {}, 0};
  prefill(sequence);
  Decoded decoded{prompt_tokens, {}, {}};
  while (static_cast<int64_t>(sequence.ids.size()) < end && !is_stop(sequence.ids.back())) {
    const int64_t start = static_cast<int64_t>(sequence.ids.size()) - 1;
    decoded.steps.push_back(decode_block(sequence, std::min(limits_.block_size, end - start)));
  }
  decoded.ids = std::move(sequence.ids);
  return decoded;
}

at::Tensor SpeculativeDecoder::forward_target(Sequence& sequence, const std::vector<int64_t>& ids) const {
  const auto& layer_ids = drafter_.config().target_layer_ids;
  std::vector<at::Tensor> captured(layer_ids.size());
  const at::Tensor hidden = target_.forward_cached(id_tensor(ids), sequence.target_cache, [&](int64_t layer, const at::Tensor& x) {
    const auto found = std::find(layer_ids.begin(), layer_ids.end(), layer);
    if (found != layer_ids.end()) captured[static_cast<size_t>(found - layer_ids.begin())] = x;
  });
  sequence.features = at::cat(captured, -1);
  return hidden;
}

void SpeculativeDecoder::prefill(Sequence& sequence) const {
  const at::Tensor hidden = forward_target(sequence, sequence.ids);
  sequence.fresh_rows = hidden.size(0);
  sequence.ids.push_back(best_ids(target_.logits(hidden.narrow(0, hidden.size(0) - 1, 1))).front());
}

void SpeculativeDecoder::draft_block(Sequence& sequence, DecodeStep& step, std::vector<int64_t>& block) const {
  const auto rows = static_cast<int64_t>(block.size());
  const at::Tensor context = drafter_.context_features(sequence.features.narrow(0, 0, sequence.fresh_rows));
  const at::Tensor hidden = drafter_.forward_cached(context, target_.embed(id_tensor(block)), sequence.draft_cache);
  step.new_context_rows = sequence.fresh_rows;
  step.draft_cache_before_crop = sequence.draft_cache.length();
  sequence.draft_cache.crop(step.start);
  step.draft_cache_after_crop = step.start;
  step.draft = best_ids(at::linear(hidden.narrow(0, 1, rows - 1), target_.ends().head));
  std::copy(step.draft.begin(), step.draft.end(), block.begin() + 1);
}

DecodeStep SpeculativeDecoder::decode_block(Sequence& sequence, int64_t block_rows) const {
  DecodeStep step;
  step.start = static_cast<int64_t>(sequence.ids.size()) - 1;
  step.bonus = sequence.ids.back();
  std::vector<int64_t> block(static_cast<size_t>(block_rows), drafter_.config().mask_token_id);
  block[0] = step.bonus;
  if (block_rows > 1) draft_block(sequence, step, block);
  step.posterior = best_ids(target_.logits(forward_target(sequence, block)));
  step.accepted = leading_matches(step.draft, step.posterior);
  commit(sequence, step);
  return step;
}

void SpeculativeDecoder::commit(Sequence& sequence, DecodeStep& step) const {
  step.committed.assign(step.draft.begin(), step.draft.begin() + step.accepted);
  step.committed.push_back(step.posterior[static_cast<size_t>(step.accepted)]);
  const auto room = static_cast<size_t>(sequence.end - step.start - 1);
  if (step.committed.size() > room) step.committed.resize(room);
  const auto stop = std::find_if(step.committed.begin(), step.committed.end(), [this](int64_t id) { return is_stop(id); });
  if (stop != step.committed.end()) step.committed.erase(stop + 1, step.committed.end());

  sequence.ids.insert(sequence.ids.end(), step.committed.begin(), step.committed.end());
  step.target_cache_before_crop = sequence.target_cache.length();
  sequence.fresh_rows = static_cast<int64_t>(step.committed.size());  // the anchor and all committed tokens but the last
  sequence.target_cache.crop(step.start + sequence.fresh_rows);
  step.target_cache_after_crop = sequence.target_cache.length();
}

}  // namespace dflash
