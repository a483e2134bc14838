// Anchors of a pack: which rows start a block in this batch.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/random.h"
#include "common/tensor/hidden_state_batch.h"

namespace dflash {

/// Rows a with loss_mask(a), loss_mask(a+1) and both in the same document: the first token to predict is supervised
/// (dflash-semantics 3.2). Ascending.
[[nodiscard]] std::vector<int64_t> eligible_anchors(const HiddenStateBatch& batch);

/// At most `most` of `eligible`, uniform without replacement, ascending. Each row draws a number from (random, row);
/// the smallest win, so the choice depends on nothing but the counters.
[[nodiscard]] std::vector<int64_t> sample_anchors(const std::vector<int64_t>& eligible, int64_t most,
                                                  const CounterRandom& random);

}  // namespace dflash
