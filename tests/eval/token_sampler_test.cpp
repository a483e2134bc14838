// Drawing of tokens against slow, obvious code, against hand-counted cases, and by frequency.

#include "common/eval/token_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "common/base/random.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

/// Logits in steps of 1/4, so that many of them tie.
std::vector<float> some_logits(uint64_t number, size_t count) {
  const CounterRandom random(number, RandomPurpose::anchors, 0);
  std::vector<float> logits(count);
  for (size_t i = 0; i < count; ++i) logits[i] = static_cast<float>(std::round(random.normal(i) * 8) / 4);
  return logits;
}

/// The probability of every token, found step by step over a sorted list.
std::vector<double> plain_probabilities(const std::vector<float>& logits, const Sampling& sampling) {
  struct Token {
    size_t id;
    double scaled;
    double probability;
  };
  std::vector<Token> tokens;
  for (size_t id = 0; id < logits.size(); ++id) tokens.push_back({id, logits[id] / sampling.temperature, 0});
  std::ranges::stable_sort(tokens, [](const Token& a, const Token& b) { return a.scaled > b.scaled; });
  if (sampling.top_k > 0 && static_cast<size_t>(sampling.top_k) < tokens.size()) {
    const double last = tokens[static_cast<size_t>(sampling.top_k) - 1].scaled;
    std::erase_if(tokens, [last](const Token& token) { return token.scaled < last; });
  }
  double sum = 0;
  for (const Token& token : tokens) sum += std::exp(token.scaled);
  double above = 0;
  std::vector<double> probabilities(logits.size(), 0);
  double kept = 0;
  for (Token& token : tokens) {
    token.probability = std::exp(token.scaled) / sum;
    if (above >= sampling.top_p - 1e-12) break;
    above += token.probability;
    probabilities[token.id] = token.probability;
    kept += token.probability;
  }
  for (double& probability : probabilities) probability /= kept;
  return probabilities;
}

TEST(TokenSampler, AgreesWithTheObviousWay) {
  const std::vector<Sampling> settings{{.temperature = 1},
                                       {.temperature = 0.7},
                                       {.temperature = 2.5, .top_k = 5},
                                       {.temperature = 1, .top_k = 1},
                                       {.temperature = 1, .top_p = 0.9},
                                       {.temperature = 0.3, .top_p = 0.01},
                                       {.temperature = 1.3, .top_k = 20, .top_p = 0.77},
                                       {.temperature = 1, .top_k = 1000, .top_p = 1}};
  for (uint64_t number = 0; number < 40; ++number) {
    for (const size_t count : {1U, 2U, 17U, 300U}) {
      const std::vector<float> logits = some_logits(number, count);
      for (const Sampling& sampling : settings) {
        const std::vector<double> expected = plain_probabilities(logits, sampling);
        double sum = 0;
        for (size_t id = 0; id < count; ++id) {
          if (expected[id] == 0) continue;
          const double middle = sum + expected[id] / 2;  // far from every border
          ASSERT_EQ(sample_token(logits, sampling, middle), static_cast<int64_t>(id))
              << "logits " << number << " x " << count << ", T " << sampling.temperature << ", k " << sampling.top_k
              << ", p " << sampling.top_p;
          sum += expected[id];
        }
      }
    }
  }
}

TEST(TokenSampler, TheFirstAndTheLastNumberFallOnATokenThatMayBeDrawn) {
  const std::vector<float> logits{-50, 1, 2, -50};
  const Sampling two{.temperature = 1, .top_k = 2};
  EXPECT_EQ(sample_token(logits, two, 0), 1);
  EXPECT_EQ(sample_token(logits, two, std::nextafter(1.0, 0.0)), 2);
}

TEST(TokenSampler, TopPKeepsAtLeastOneAndOfEqualOnesTheLowest) {
  const std::vector<float> equal{3, 3, 3, 3};
  for (const double uniform : {0.0, 0.4, 0.99}) {
    EXPECT_EQ(sample_token(equal, {.temperature = 1, .top_p = 1e-9}, uniform), 0);
    EXPECT_LE(sample_token(equal, {.temperature = 1, .top_p = 0.5}, uniform), 1);
  }
  EXPECT_EQ(sample_token(equal, {.temperature = 1, .top_k = 1}, 0.99), 3) << "all that equal the k-th stay";
}

TEST(TokenSampler, ACoolTemperatureIsGreedy) {
  const std::vector<float> logits{1, 5, 4.99F, 2};
  for (const double uniform : {0.0, 0.5, 0.999}) {
    EXPECT_EQ(sample_token(logits, {.temperature = 1e-6}, uniform), 1);
  }
}

TEST(TokenSampler, FrequenciesAreTheProbabilities) {
  const std::vector<float> logits{0.5F, -1, 2, 1.5F, -3, 0, 1, -0.5F};
  const Sampling sampling{.temperature = 0.9, .top_k = 7, .top_p = 0.97, .seed = 11};
  const std::vector<double> expected = plain_probabilities(logits, sampling);
  constexpr int kDraws = 40000;
  std::map<int64_t, int> counts;
  for (int i = 0; i < kDraws; ++i) {  // as texts draw: many rows, some turns, some positions
    const auto n = static_cast<uint64_t>(i);
    ++counts[sample_token(logits, sampling, token_uniform(sampling.seed, n / 40, n / 20 % 2, n % 20))];
  }
  double chi_square = 0;
  int kinds = 0;
  for (size_t id = 0; id < expected.size(); ++id) {
    const double wanted = expected[id] * kDraws, got = counts[static_cast<int64_t>(id)];
    if (expected[id] == 0) {
      EXPECT_EQ(got, 0) << id;
      continue;
    }
    chi_square += (got - wanted) * (got - wanted) / wanted;
    ++kinds;
  }
  EXPECT_GE(kinds, 5);
  EXPECT_LT(chi_square, 24.3) << "of " << kinds - 1 << " degrees of freedom; 1 of 1,000 draws with 7 lies above";
}

TEST(TokenSampler, EveryTokenHasANumberOfItsOwn) {
  std::set<double> numbers;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (uint64_t row = 0; row < 20; ++row) {
      for (uint64_t turn = 0; turn < 4; ++turn) {
        for (uint64_t position = 0; position < 50; ++position) {
          const double number = token_uniform(seed, row, turn, position);
          ASSERT_TRUE(number >= 0 && number < 1);
          ASSERT_EQ(number, token_uniform(seed, row, turn, position));
          numbers.insert(number);
        }
      }
    }
  }
  EXPECT_EQ(numbers.size(), 3U * 20 * 4 * 50);
}

TEST(TokenSampler, LogitsThatAreNotFiniteAreAnError) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    for (const size_t place : {0U, 1U, 2U}) {
      std::vector<float> logits{1, 2, 3};
      logits[place] = bad;
      EXPECT_EQ(error_of([&] { (void)sample_token(logits, {.temperature = 1}, 0.5); }).kind(), ErrorKind::not_finite);
    }
  }
  const std::vector<float> forbidden{-std::numeric_limits<float>::infinity(), 2};
  EXPECT_EQ(sample_token(forbidden, {.temperature = 1}, 0), 1) << "a token that never comes is no error";
}

}  // namespace
}  // namespace dflash
