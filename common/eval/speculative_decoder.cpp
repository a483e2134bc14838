#include "common/eval/speculative_decoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "common/eval/greedy_ids.h"

namespace dflash {
namespace {

int64_t leading_matches(const std::vector<int64_t>& draft, const std::vector<int64_t>& posterior) {
  const auto [mine, theirs] = std::mismatch(draft.begin(), draft.end(), posterior.begin());
  return mine - draft.begin();
}

}  // namespace

/// Everything that belongs to the text being decoded.
struct SpeculativeDecoder::Sequence {
  Decoded decoded;
  int64_t end = 0;  // most tokens the text may have
  KvCache target_cache;
  KvCache draft_cache;
  std::vector<int64_t> rows;  // tokens of the next target forward: the prompt, then one block after the other
  DecodeStep step;            // the block being decoded
  at::Tensor features;        // [rows, K*H]: captured states of the target's last forward
  int64_t fresh_rows = 0;     // of them, verified and not yet seen by the drafter
};

SpeculativeDecoder::SpeculativeDecoder(const TargetModel& target, const DrafterModel& drafter, DecodeLimits limits)
    : target_(target), drafter_(drafter), limits_(std::move(limits)) {}

bool SpeculativeDecoder::is_stop(int64_t id) const {
  return std::find(limits_.stop_tokens.begin(), limits_.stop_tokens.end(), id) != limits_.stop_tokens.end();
}

bool SpeculativeDecoder::is_finished(const Sequence& sequence) const {
  return static_cast<int64_t>(sequence.decoded.ids.size()) >= sequence.end || is_stop(sequence.decoded.ids.back());
}

SpeculativeDecoder::Sequence SpeculativeDecoder::open_text(const std::vector<int64_t>& prompt) const {
  const auto prompt_tokens = static_cast<int64_t>(prompt.size()), end = prompt_tokens + limits_.max_new_tokens;
  Sequence sequence{
      {prompt_tokens, prompt, {}}, end, target_.make_cache(end), drafter_.make_cache(end), prompt, {}, {}, 0};
  prefill(sequence);
  return sequence;
}

std::vector<Decoded> SpeculativeDecoder::decode(std::span<const std::vector<int64_t>> prompts) const {
  const c10::InferenceMode no_autograd;
  std::vector<Decoded> texts(prompts.size());
  std::map<size_t, Sequence> open;  // by index of the prompt
  for (size_t next = 0; next < prompts.size() || !open.empty();) {
    while (next < prompts.size() && open.size() < kTextsSideBySide) {
      open.emplace(next, open_text(prompts[next]));
      ++next;
    }
    Group group;
    for (auto& [index, sequence] : open) {
      if (!is_finished(sequence)) group.push_back(&sequence);
    }
    if (!group.empty()) decode_blocks(group);
    std::erase_if(open, [&](auto& entry) {
      auto& [index, sequence] = entry;
      if (!is_finished(sequence)) return false;
      texts[index] = std::move(sequence.decoded);
      return true;
    });
  }
  return texts;
}

void SpeculativeDecoder::decode_blocks(const Group& group) const {
  start_blocks(group);
  draft(group);
  verify(group);
}

void SpeculativeDecoder::prefill(Sequence& sequence) const {
  const at::Tensor hidden = forward_target({&sequence});
  sequence.fresh_rows = hidden.size(0);
  sequence.decoded.ids.push_back(best_ids(target_.logits(hidden.narrow(0, hidden.size(0) - 1, 1))).front());
}

at::Tensor SpeculativeDecoder::forward_target(const Group& group) const {
  std::vector<CachedRows> cached;
  std::vector<int64_t> ids, row_counts;
  for (Sequence* sequence : group) {
    row_counts.push_back(static_cast<int64_t>(sequence->rows.size()));
    cached.push_back({&sequence->target_cache, row_counts.back()});
    ids.insert(ids.end(), sequence->rows.begin(), sequence->rows.end());
  }
  const auto& layer_ids = drafter_.config().target_layer_ids;
  std::vector<at::Tensor> captured(layer_ids.size());
  const at::Tensor hidden = target_.forward_cached(id_tensor(ids), cached, [&](int64_t layer, const at::Tensor& x) {
    const auto found = std::find(layer_ids.begin(), layer_ids.end(), layer);
    if (found != layer_ids.end()) captured[static_cast<size_t>(found - layer_ids.begin())] = x;
  });
  const std::vector<at::Tensor> features = at::cat(captured, -1).split_with_sizes(row_counts);
  for (size_t i = 0; i < group.size(); ++i) group[i]->features = features[i];
  return hidden;
}

/// The next block of every text: its newest token, then masks; shortened to the room left.
void SpeculativeDecoder::start_blocks(const Group& group) const {
  for (Sequence* sequence : group) {
    sequence->step = {};
    sequence->step.start = static_cast<int64_t>(sequence->decoded.ids.size()) - 1;
    sequence->step.bonus = sequence->decoded.ids.back();
    const int64_t room = sequence->end - sequence->step.start;
    sequence->rows.assign(static_cast<size_t>(std::min(limits_.block_size, room)), drafter_.config().mask_token_id);
    sequence->rows.front() = sequence->step.bonus;
  }
}

/// Fills the masks of every block that has any.
void SpeculativeDecoder::draft(const Group& group) const {
  std::vector<DraftRows> rows;
  std::vector<at::Tensor> features;
  std::vector<int64_t> ids;
  Group drafting;
  for (Sequence* sequence : group) {
    if (sequence->rows.size() == 1) continue;
    drafting.push_back(sequence);
    rows.push_back({&sequence->draft_cache, sequence->fresh_rows, static_cast<int64_t>(sequence->rows.size())});
    features.push_back(sequence->features.narrow(0, 0, sequence->fresh_rows));
    ids.insert(ids.end(), sequence->rows.begin(), sequence->rows.end());
  }
  if (drafting.empty()) return;
  const at::Tensor context = drafter_.context_features(at::cat(features));
  const at::Tensor hidden = drafter_.forward_cached(context, target_.embed(id_tensor(ids)), rows);
  const std::vector<int64_t> drafted = best_ids(at::linear(hidden, target_.ends().head));
  auto block = drafted.begin();
  for (Sequence* sequence : drafting) {
    const auto block_end = block + static_cast<int64_t>(sequence->rows.size());
    sequence->step.draft.assign(block + 1, block_end);  // position 0 is given
    std::copy(block + 1, block_end, sequence->rows.begin() + 1);
    block = block_end;
    sequence->step.new_context_rows = sequence->fresh_rows;
    sequence->step.draft_cache_before_crop = sequence->draft_cache.length();
    sequence->draft_cache.crop(sequence->step.start);
    sequence->step.draft_cache_after_crop = sequence->step.start;
  }
}

void SpeculativeDecoder::verify(const Group& group) const {
  const std::vector<int64_t> chosen = best_ids(target_.logits(forward_target(group)));
  auto posterior = chosen.begin();
  for (Sequence* sequence : group) {
    const auto end = posterior + static_cast<int64_t>(sequence->rows.size());
    sequence->step.posterior.assign(posterior, end);
    sequence->step.accepted = leading_matches(sequence->step.draft, sequence->step.posterior);
    posterior = end;
    commit(*sequence);
  }
}

void SpeculativeDecoder::commit(Sequence& sequence) const {
  DecodeStep& step = sequence.step;
  step.committed.assign(step.draft.begin(), step.draft.begin() + step.accepted);
  step.committed.push_back(step.posterior[static_cast<size_t>(step.accepted)]);
  const auto room = static_cast<size_t>(sequence.end - step.start - 1);
  if (step.committed.size() > room) step.committed.resize(room);
  const auto stop =
      std::find_if(step.committed.begin(), step.committed.end(), [this](int64_t id) { return is_stop(id); });
  if (stop != step.committed.end()) step.committed.erase(stop + 1, step.committed.end());

  sequence.decoded.ids.insert(sequence.decoded.ids.end(), step.committed.begin(), step.committed.end());
  step.target_cache_before_crop = sequence.target_cache.length();
  sequence.fresh_rows =
      static_cast<int64_t>(step.committed.size());  // the anchor and all committed tokens but the last
  sequence.target_cache.crop(step.start + sequence.fresh_rows);
  step.target_cache_after_crop = sequence.target_cache.length();
  sequence.decoded.steps.push_back(std::move(step));
}

}  // namespace dflash
