#include "common/model/rope_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace dflash {
namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;

/// Long waves are stretched by the factor, short ones kept, those between blended.
double llama3_frequency(double frequency, const RopeConfig& rope) {
  const auto trained = static_cast<double>(rope.original_max_position_embeddings);
  const double wave_length = kFullTurn / frequency;
  if (wave_length < trained / rope.high_freq_factor) return frequency;
  if (wave_length > trained / rope.low_freq_factor) return frequency / rope.factor;
  const double smooth = (trained / wave_length - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  return (1 - smooth) * frequency / rope.factor + smooth * frequency;
}

/// Pairs of channels between which yarn goes over from kept to stretched frequencies.
struct YarnRamp {
  double low, high;

  YarnRamp(int64_t head_dim, const RopeConfig& rope) {
    const auto width = static_cast<double>(head_dim);
    // The pair that turns `turns` times over the trained length.
    const auto pair_of = [&](double turns) {
      const auto trained = static_cast<double>(rope.original_max_position_embeddings);
      return width * std::log(trained / (turns * kFullTurn)) / (2 * std::log(rope.theta));
    };
    low = pair_of(rope.beta_fast);
    high = pair_of(rope.beta_slow);
    if (rope.truncate) {
      low = std::floor(low);
      high = std::ceil(high);
    }
    low = std::max(low, 0.0);  // each bound is held on its own side alone, as the models were made
    high = std::min(high, width - 1);
    if (low == high) high += 0.001;
  }
  [[nodiscard]] double stretched_share(double pair) const { return std::clamp((pair - low) / (high - low), 0.0, 1.0); }
};

double mscale_factor(double factor, double mscale) {
  return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

}  // namespace

std::vector<float> inverse_frequencies(int64_t head_dim, const RopeConfig& rope) {
  std::optional<YarnRamp> ramp;
  if (rope.type == RopeType::yarn) ramp.emplace(head_dim, rope);
  std::vector<float> frequencies;
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    // In fp32, as the models were trained; the rescaling of a frequency is then exact enough in any width.
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(head_dim);
    double frequency = 1.0F / std::pow(static_cast<float>(rope.theta), exponent);
    const double stretched = frequency / rope.factor;
    if (rope.type == RopeType::linear) frequency = stretched;
    if (rope.type == RopeType::llama3) frequency = llama3_frequency(frequency, rope);
    if (ramp) {
      const double share = ramp->stretched_share(static_cast<double>(pair));
      frequency = stretched * share + frequency * (1 - share);
    }
    frequencies.push_back(static_cast<float>(frequency));
  }
  return frequencies;
}

double rope_attention_factor(const RopeConfig& rope) {
  if (rope.type != RopeType::yarn) return 1;
  if (rope.attention_factor) return *rope.attention_factor;
  if (rope.mscale > 0 && rope.mscale_all_dim > 0) {
    return mscale_factor(rope.factor, rope.mscale) / mscale_factor(rope.factor, rope.mscale_all_dim);
  }
  return mscale_factor(rope.factor, 1);
}

}  // namespace dflash
