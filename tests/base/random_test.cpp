#include "common/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace dflash {
namespace {

using Block = std::array<uint32_t, 4>;

// Random123's kat_vectors for philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes}, {kOnes, kOnes, kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, SamePositionSameNumberInAnyOrder) {
  const CounterRandom first(7, RandomPurpose::anchors, 3, 1), second(7, RandomPurpose::anchors, 3, 1);
  std::vector<uint64_t> forward, backward;
  for (uint64_t i = 0; i < 100; ++i) forward.push_back(first.bits(i));
  for (uint64_t i = 100; i-- > 0;) backward.push_back(second.bits(i));
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(std::set<uint64_t>(forward.begin(), forward.end()).size(), 100u);
}

TEST(CounterRandom, StreamsDifferByEachPartOfTheirAddress) {
  std::set<uint64_t> seen;
  size_t streams = 0;
  for (const uint64_t seed : {0, 1, 2}) {
    for (const auto purpose :
         {RandomPurpose::document_order, RandomPurpose::pack_order, RandomPurpose::anchors, RandomPurpose::weights}) {
      for (uint64_t major = 0; major < 5; ++major) {
        for (uint64_t minor = 0; minor < 5; ++minor, ++streams) {
          seen.insert(CounterRandom(seed, purpose, major, minor).bits(0));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), streams);
}

TEST(CounterRandom, BitsAreHalfOnesAtEveryPlace) {
  const CounterRandom random(11, RandomPurpose::document_order, 0);
  constexpr int kDraws = 10'000;
  std::array<int, 64> ones{};
  for (uint64_t i = 0; i < kDraws; ++i) {
    for (size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(random.bits(i) >> bit & 1);
  }
  for (const int count : ones) EXPECT_NEAR(count, kDraws / 2, 5 * 50);  // 5 standard deviations of sqrt(10000)/2
}

/// Share of a standard normal below x.
double normal_share(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

TEST(CounterRandom, NormalHasTheMomentsAndSharesOfANormal) {
  const CounterRandom random(5, RandomPurpose::weights, 42);
  constexpr int kDraws = 100'000;
  std::vector<double> draws;
  for (uint64_t i = 0; i < kDraws; ++i) draws.push_back(random.normal(i));
  double sum = 0, squares = 0, fourths = 0;
  for (const double x : draws) {
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourths / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
  for (const double x : {-3.0, -2.0, -1.0, -0.3, 0.0, 0.5, 1.5, 2.5}) {
    const auto below = std::count_if(draws.begin(), draws.end(), [x](double draw) { return draw < x; });
    const double share = normal_share(x);
    EXPECT_NEAR(static_cast<double>(below) / kDraws, share, 5 * std::sqrt(share * (1 - share) / kDraws)) << x;
  }
}

TEST(CounterRandom, NeighbouringNormalsAreUncorrelated) {
  const CounterRandom random(5, RandomPurpose::weights, 43);
  constexpr int kDraws = 100'000;
  double products = 0;
  for (uint64_t i = 0; i < kDraws; ++i) products += random.normal(i) * random.normal(i + 1);
  EXPECT_NEAR(products / kDraws, 0, 5 / std::sqrt(kDraws));
}

}  // namespace
}  // namespace dflash
