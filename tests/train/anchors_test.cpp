#include "common/train/anchors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

/// The twelve-token pack of dflash-semantics 9.1, with three positions of padding.
HiddenStateBatch example() {
  HiddenStateBatch batch;
  batch.document_ids = at::tensor({0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1, -1}, at::kInt);
  batch.loss_mask = at::tensor({0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0}, at::kByte);
  return batch;
}

CounterRandom stream(uint64_t sequence) {
  return {7, RandomPurpose::anchors, sequence};
}

TEST(EligibleAnchors, OfTheWorkedExample) {
  EXPECT_EQ(eligible_anchors(example()), (std::vector<int64_t>{3, 4, 5, 9, 10}));
}

TEST(EligibleAnchors, EqualTheGoldenFlags) {
  for (const char* name : {"01_basic", "02_packed", "05_gqa_head_dim"}) {
    const test::GoldenDrafter golden(name);
    const at::Tensor expected = golden.io.at("eligible").nonzero().squeeze(-1);
    EXPECT_TRUE(at::tensor(eligible_anchors(golden.batch), at::kLong).equal(expected)) << name;
  }
}

TEST(SampleAnchors, TakesAllWhenTheyFit) {
  EXPECT_EQ(sample_anchors({3, 4, 9}, 3, stream(0)), (std::vector<int64_t>{3, 4, 9}));
  EXPECT_TRUE(sample_anchors({}, 3, stream(0)).empty());
}

TEST(SampleAnchors, AscendingWithoutRepetitionAndAFunctionOfTheCounters) {
  std::vector<int64_t> eligible(200);
  for (size_t i = 0; i < eligible.size(); ++i) eligible[i] = static_cast<int64_t>(3 * i);
  const std::vector<int64_t> drawn = sample_anchors(eligible, 50, stream(4));
  EXPECT_EQ(drawn.size(), 50U);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::set<int64_t>(drawn.begin(), drawn.end()).size(), 50U);
  EXPECT_EQ(drawn, sample_anchors(eligible, 50, stream(4)));
  EXPECT_NE(drawn, sample_anchors(eligible, 50, stream(5)));
}

TEST(SampleAnchors, EveryRowEquallyOften) {
  const std::vector<int64_t> eligible{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int> count(10, 0);
  constexpr int kDraws = 20000;
  for (uint64_t sequence = 0; sequence < kDraws; ++sequence) {
    for (const int64_t row : sample_anchors(eligible, 3, stream(sequence))) ++count[static_cast<size_t>(row)];
  }
  // Each count is binomial(20000, 0.3): standard deviation 65; six of them.
  for (const int times : count) EXPECT_NEAR(times, 0.3 * kDraws, 6 * 65);
}

}  // namespace
}  // namespace dflash
