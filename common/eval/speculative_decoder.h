// Greedy speculative decoding without an engine: key/value caches on both sides, exact-match verification.
//
// The loop is that of the z-lab package 0.1.0 (dflash-semantics-2, 1.4): the last block is shortened to the room left
// and a step records only the tokens it commits, so that the sum of the acceptance lengths + 1 is the number of new
// tokens. Ties between logits go to the lowest id.
//
// Threading: decode is const; any number of threads may decode different prompts at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/model/drafter_model.h"
#include "common/model/target_model.h"

namespace dflash {

struct DecodeLimits {
  int64_t max_new_tokens = 256;
  int64_t block_size = 0;
  std::vector<int64_t> stop_tokens;
};

/// One verification pass.
struct DecodeStep {
  int64_t start = 0;             // index of the last committed token, the block's anchor
  int64_t new_context_rows = 0;  // features the drafter had not seen
  int64_t bonus = 0;             // the anchor token
  std::vector<int64_t> draft;
  std::vector<int64_t> posterior;  // the target's choice behind every token of the block
  int64_t accepted = 0;            // leading matches
  std::vector<int64_t> committed;  // accepted tokens and the target's own next one, as far as they fit
  int64_t draft_cache_before_crop = 0, draft_cache_after_crop = 0;
  int64_t target_cache_before_crop = 0, target_cache_after_crop = 0;
};

struct Decoded {
  int64_t prompt_tokens = 0;
  std::vector<int64_t> ids;  // prompt and new tokens
  std::vector<DecodeStep> steps;
};

// Enough rows in a product that reading the weights is not what takes the time.
constexpr size_t kTextsSideBySide = 32;

class SpeculativeDecoder {
 public:
  /// Both models must outlive the decoder and compute in the same dtype.
  SpeculativeDecoder(const TargetModel& target, const DrafterModel& drafter, DecodeLimits limits);

  /// Decodes the prompts, up to kTextsSideBySide at a time: in every round each open text drafts and verifies one
  /// block, and the models read their weights once for all of them. Texts do not see each other.
  [[nodiscard]] std::vector<Decoded> decode(std::span<const std::vector<int64_t>> prompts) const;

 private:
  struct Sequence;
  using Group = std::vector<Sequence*>;
  [[nodiscard]] Sequence open_text(const std::vector<int64_t>& prompt) const;
  void prefill(Sequence& sequence) const;
  void decode_blocks(const Group& group) const;
  void start_blocks(const Group& group) const;
  void draft(const Group& group) const;
  void verify(const Group& group) const;
  /// Runs the target over `rows` of each sequence and keeps the captured states of its rows; returns the last hidden
  /// states.
  [[nodiscard]] at::Tensor forward_target(const Group& group) const;
  void commit(Sequence& sequence) const;
  [[nodiscard]] bool is_finished(const Sequence& sequence) const;
  [[nodiscard]] bool is_stop(int64_t id) const;

  const TargetModel& target_;
  const DrafterModel& drafter_;
  DecodeLimits limits_;
};

}  // namespace dflash
