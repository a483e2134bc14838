// Token ids with a loss mask as text, cut where supervision begins and ends, so that a person can look at it.
//
// The runs one behind the other are what Tokenizer::decode makes of all ids, special tokens included. A character that
// is made of tokens on both sides of a border stands whole in the later run.
//
// Threading: functions only. Limits: every border costs decoding of what stands before it; for texts that a person
// reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

struct DecodedRun {
  std::string text;
  bool supervised = false;
};

/// `loss_mask`: one value for each id. A run may be without text.
[[nodiscard]] std::vector<DecodedRun> decode_runs(const Tokenizer& tokenizer, std::span<const uint32_t> ids,
                                                  std::span<const uint8_t> loss_mask);

}  // namespace dflash
