// The lossless check: is a decoded text what plain greedy decoding gives?
#pragma once

#include <cstdint>
#include <vector>

#include "common/eval/speculative_decoder.h"

namespace dflash {

enum class GreedyVerdict { equal, near_tie, different };

/// A text is the plain greedy one iff every new token is the target's best choice behind the tokens before it, and it
/// ends at the first stop token or at the limit. One forward over the whole text, without caches and blocks, answers
/// that for all positions at once; at the first position that differs, plain greedy would have chosen another token: a
/// near tie when its two best logits there lie closer than 1e-4 (two correct computations may then differ), else
/// `different`. The texts are the documents of one pack.
[[nodiscard]] std::vector<GreedyVerdict> check_greedy(const TargetModel& target, std::span<const Decoded> texts,
                                                      const DecodeLimits& limits);

}  // namespace dflash
