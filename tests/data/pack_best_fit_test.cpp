#include <gtest/gtest.h>

#include <algorithm>

#include "common/data/pack_order.h"
#include "tests/data/document_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Packs = std::vector<std::vector<int64_t>>;

/// The rule in its own words: take the longest document left (of equal ones the first), put it where it leaves the
/// least room (of equal ones the oldest pack), or open a pack.
Packs slow_best_fit(const std::vector<int64_t>& lengths, int64_t pack_tokens) {
  std::vector<bool> placed(lengths.size());
  Packs packs;
  std::vector<int64_t> rooms;
  for (size_t turn = 0; turn < lengths.size(); ++turn) {
    size_t longest = lengths.size();
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (!placed[i] && (longest == lengths.size() || lengths[i] > lengths[longest])) longest = i;
    }
    placed[longest] = true;
    size_t best = packs.size();
    for (size_t p = 0; p < packs.size(); ++p) {
      if (rooms[p] >= lengths[longest] && (best == packs.size() || rooms[p] < rooms[best])) best = p;
    }
    if (best == packs.size()) {
      packs.emplace_back();
      rooms.push_back(pack_tokens);
    }
    packs[best].push_back(static_cast<int64_t>(longest));
    rooms[best] -= lengths[longest];
  }
  return packs;
}

TEST(PackBestFit, AnExampleByHand) {
  // 6, 5, 4, 4, 1 into 10: 6 opens; 5 opens; the first 4 leaves no room behind 6; the second goes behind 5; so does 1.
  EXPECT_EQ(pack_best_fit({4, 6, 1, 5, 4}, 10), (Packs{{1, 0}, {3, 4, 2}}));
  EXPECT_EQ(pack_best_fit({10, 10}, 10), (Packs{{0}, {1}}));
  EXPECT_EQ(pack_best_fit({}, 10), Packs{});
}

TEST(PackBestFit, EqualsTheSlowRule) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    const auto pack_tokens = static_cast<int64_t>(random() % 60 + 1);
    std::vector<int64_t> lengths;
    for (size_t count = random() % 80; count > 0; --count) {
      lengths.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(pack_tokens)) + 1);
    }
    EXPECT_EQ(pack_best_fit(lengths, pack_tokens), slow_best_fit(lengths, pack_tokens));
  }
  const auto lengths = chat_lengths(400, 1);
  EXPECT_EQ(pack_best_fit(lengths, 1024), slow_best_fit(lengths, 1024));
}

TEST(PackBestFit, RefusesWhatFitsNoPack) {
  expect_error(ErrorKind::internal, "11 tokens in packs of 10", [] { (void)pack_best_fit({3, 11}, 10); });
}

}  // namespace
}  // namespace dflash
