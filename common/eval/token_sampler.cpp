#include "common/eval/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "common/base/error.h"
#include "common/base/random.h"

namespace dflash {
namespace {

float largest_of(std::span<const float> logits) {
  float largest = -std::numeric_limits<float>::infinity();
  bool has_nan = false;
  for (const float logit : logits) {
    has_nan = has_nan || std::isnan(logit);
    largest = std::max(largest, logit);
  }
  if (has_nan || !std::isfinite(largest)) {
    throw Error(ErrorKind::not_finite, "the logits are not finite: are the weights of the target whole?");
  }
  return largest;
}

/// What a logit must reach to be among the k largest.
float kth_largest(std::span<const float> logits, int64_t k) {
  if (k <= 0 || k >= static_cast<int64_t>(logits.size())) return -std::numeric_limits<float>::infinity();
  std::vector<float> sorted(logits.begin(), logits.end());
  const auto kth = sorted.begin() + (k - 1);
  std::nth_element(sorted.begin(), kth, sorted.end(), std::greater<>());
  return *kth;
}

/// Sets to zero the weight of every token that is not among the fewest whose weights reach `enough`.
void keep_most_probable(std::span<const float> logits, double enough, std::vector<double>& weights) {
  std::vector<int32_t> ids;
  for (size_t id = 0; id < weights.size(); ++id) {
    if (weights[id] > 0) ids.push_back(static_cast<int32_t>(id));
  }
  const auto before = [logits](int32_t a, int32_t b) {
    const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    return x > y || (x == y && a < b);
  };
  double sum = 0;
  auto kept = ids.begin();
  for (std::ptrdiff_t piece = 64; kept != ids.end() && sum < enough; piece *= 4) {  // mostly few are needed
    const auto sorted = ids.end() - kept > piece ? kept + piece : ids.end();
    std::partial_sort(kept, sorted, ids.end(), before);
    while (kept != sorted && sum < enough) sum += weights[static_cast<size_t>(*kept++)];
  }
  std::for_each(kept, ids.end(), [&weights](int32_t id) { weights[static_cast<size_t>(id)] = 0; });
}

/// The id at `share` of the sum of the weights.
int64_t id_at(const std::vector<double>& weights, double share) {
  const double wanted = share * std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  int64_t last = 0;
  for (size_t id = 0; id < weights.size(); ++id) {
    if (weights[id] <= 0) continue;
    sum += weights[id];
    last = static_cast<int64_t>(id);
    if (sum > wanted) break;
  }
  return last;
}

}  // namespace

double token_uniform(uint64_t seed, uint64_t row, uint64_t turn, uint64_t position) {
  const CounterRandom random(seed, RandomPurpose::token_choice, row, turn);
  return static_cast<double>(random.bits(position) >> 11) * 0x1p-53;
}

int64_t sample_token(std::span<const float> logits, const Sampling& sampling, double uniform) {
  const double largest = largest_of(logits);
  const float least = kth_largest(logits, sampling.top_k);
  std::vector<double> weights(logits.size());
  for (size_t id = 0; id < logits.size(); ++id) {
    weights[id] = logits[id] < least ? 0 : std::exp((logits[id] - largest) / sampling.temperature);
  }
  if (sampling.top_p < 1) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    keep_most_probable(logits, sampling.top_p * sum, weights);
  }
  return id_at(weights, uniform);
}

}  // namespace dflash
