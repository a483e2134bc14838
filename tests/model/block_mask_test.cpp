// The masks of the worked example, dflash-semantics 9.1: documents of 7 and 5 rows, blocks of four, anchors 3, 5 and 9.

#include "common/model/block_mask.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

namespace dflash {
namespace {

constexpr int64_t kRows = 12, kBlock = 4;
const std::vector<PlacedAnchor> kAnchors{{3, 0}, {5, 0}, {9, 7}};

/// What position k of block n sees of the pack, a digit for each row: 1 = visible.
std::string context_seen(const BlockMask& mask, int64_t n, int64_t k) {
  std::string seen(kRows, '0');
  for (const AnchorGroup& group : mask.groups) {
    if (n < group.first_block || n >= group.first_block + group.block_count) continue;
    const at::Tensor hidden = group.hidden[n - group.first_block][group.hidden.size(1) == 1 ? 0 : k];
    for (int64_t t = group.context_start; t < group.context_end; ++t) {
      if (!hidden[t - group.context_start].item<bool>()) seen[static_cast<size_t>(t)] = '1';
    }
  }
  return seen;
}

TEST(BlockMask, FullLayersSeeTheDocumentBeforeTheAnchor) {
  const BlockMask mask = make_block_mask(kAnchors, kBlock, {});
  for (int64_t k = 0; k < kBlock; ++k) {
    EXPECT_EQ(context_seen(mask, 0, k), "111000000000");
    EXPECT_EQ(context_seen(mask, 1, k), "111110000000");
    EXPECT_EQ(context_seen(mask, 2, k), "000000011000");
  }
  EXPECT_FALSE(mask.hidden_in_block.defined());
}

TEST(BlockMask, AWindowCountsFromEachPosition) {
  const BlockMask mask = make_block_mask(kAnchors, kBlock, {3, true});
  const std::vector<std::vector<const char*>> expected{
      {"011000000000", "001000000000", "000000000000", "000000000000"},
      {"000110000000", "000010000000", "000000000000", "000000000000"},
      {"000000011000", "000000001000", "000000000000", "000000000000"}};
  for (size_t n = 0; n < expected.size(); ++n) {
    for (size_t k = 0; k < expected[n].size(); ++k) {
      EXPECT_EQ(context_seen(mask, static_cast<int64_t>(n), static_cast<int64_t>(k)), expected[n][k]) << n << ", " << k;
    }
  }
}

TEST(BlockMask, ACausalBlockHidesTheLaterPositions) {
  const BlockMask mask = make_block_mask(kAnchors, kBlock, {0, true});
  const at::Tensor expected = at::tensor({0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}, at::kLong).view({4, 4});
  EXPECT_TRUE(mask.hidden_in_block.to(at::kLong).equal(expected));
}

TEST(BlockMask, GroupsHoldOneDocumentAndOnlyRowsThatSomeBlockSees) {
  const BlockMask full = make_block_mask(kAnchors, kBlock, {});
  ASSERT_EQ(full.groups.size(), 2U);
  EXPECT_EQ(full.groups[0].context_start, 0);
  EXPECT_EQ(full.groups[0].context_end, 5);
  EXPECT_EQ(full.groups[1].context_start, 7);
  EXPECT_EQ(full.groups[1].first_block, 2);
  const BlockMask sliding = make_block_mask(kAnchors, kBlock, {3, true});
  EXPECT_EQ(sliding.groups[0].context_start, 1);
}

TEST(BlockMask, AnAnchorOnTheFirstTokenHasNoContext) {
  for (const int64_t window : {0, 4}) {
    const BlockMask mask = make_block_mask(std::vector<PlacedAnchor>{{7, 7}}, kBlock, {window, false});
    ASSERT_EQ(mask.groups.size(), 1U);
    EXPECT_EQ(mask.groups[0].context_start, 7);
    EXPECT_EQ(mask.groups[0].context_end, 7);
  }
}

TEST(BlockMask, ManyBlocksOfALongDocumentAreSplitIntoGroups) {
  std::vector<PlacedAnchor> anchors;
  for (int64_t row = 300; row < 1000; row += 5) anchors.push_back({row, 0});  // 140 blocks x 995 rows
  for (const int64_t window : {0, 700}) {
    const BlockMask mask = make_block_mask(anchors, kBlock, {window, false});
    EXPECT_GT(mask.groups.size(), 1U);
    int64_t covered = 0;
    for (const AnchorGroup& group : mask.groups) {
      EXPECT_EQ(group.first_block, covered);
      covered += group.block_count;
    }
    EXPECT_EQ(covered, static_cast<int64_t>(anchors.size()));
  }
}

/// What memory_plan counts on for the attention weights.
TEST(BlockMask, AGroupsContextIsAtMostTwoWindows) {
  std::vector<PlacedAnchor> anchors;
  for (int64_t row = 3; row < 4000; row += 1 + row % 7) anchors.push_back({row, 0});
  for (const int64_t window : {4, 16, 256}) {
    int64_t covered = 0;
    for (const AnchorGroup& group : make_block_mask(anchors, kBlock, {window, true}).groups) {
      EXPECT_LE(group.context_end - group.context_start, 2 * window);
      covered += group.block_count;
    }
    EXPECT_EQ(covered, static_cast<int64_t>(anchors.size()));
  }
}

}  // namespace
}  // namespace dflash
