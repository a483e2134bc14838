// The next token of a text, drawn: temperature, then top-k, then top-p, in the order and with the meaning that
// transformers gives them.
//
//   const double uniform = token_uniform(sampling.seed, row, turn, position);
//   const int64_t id = sample_token(logits, sampling, uniform);
//
// Every token has a random number of its own, so a text does not depend on what else is decoded, nor on when.
//
// Threading: functions only.
// Limits: sums are in double precision; time grows with the vocabulary, with top-p a little faster.
#pragma once

#include <cstdint>
#include <span>

namespace dflash {

struct Sampling {
  double temperature = 0;  // 0: no drawing, the best token; else the logits are divided by it
  int64_t top_k = 0;       // only the k largest logits, and all that equal the last of them; 0: all
  double top_p = 1;        // of what is left, the fewest tokens whose probabilities reach this sum; 1: all
  uint64_t seed = 0;
};

/// In [0, 1): of the token at `position` of the answer in turn `turn` of row `row`.
[[nodiscard]] double token_uniform(uint64_t seed, uint64_t row, uint64_t turn, uint64_t position);

/// The token that `uniform` in [0, 1) falls on when the tokens that may be drawn stand side by side in the order of
/// their ids, each as wide as it is probable. logits [V]; sampling.temperature > 0. Where top-p cuts among equal
/// logits, the lowest ids stay. Error{not_finite} when a logit is NaN or the largest is infinite.
[[nodiscard]] int64_t sample_token(std::span<const float> logits, const Sampling& sampling, double uniform);

}  // namespace dflash
