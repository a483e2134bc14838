#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "common/data/window_packer.h"
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

/// The same by an ordered set of (room, pack): fast enough for whole windows.
Packs ordered_best_fit(const std::vector<int64_t>& lengths, int64_t pack_tokens) {
  std::vector<size_t> longest_first(lengths.size());
  std::iota(longest_first.begin(), longest_first.end(), size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&lengths](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  Packs packs;
  std::set<std::pair<int64_t, size_t>> rooms;
  for (const size_t index : longest_first) {
    auto place = rooms.lower_bound({lengths[index], 0});
    if (place == rooms.end()) {
      place = rooms.emplace(pack_tokens, packs.size()).first;
      packs.emplace_back();
    }
    const auto [room, pack] = *place;
    packs[pack].push_back(static_cast<int64_t>(index));
    rooms.erase(place);
    if (room > lengths[index]) rooms.emplace(room - lengths[index], pack);
  }
  return packs;
}

/// Many equal lengths, so that packs of equal room queue up; `kinds` of them.
std::vector<int64_t> few_kinds(std::mt19937& random, size_t count, int64_t pack_tokens, size_t kinds) {
  std::vector<int64_t> choices, lengths;
  for (size_t i = 0; i < kinds; ++i) {
    choices.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(pack_tokens)) + 1);
  }
  for (size_t i = 0; i < count; ++i) lengths.push_back(choices[random() % kinds]);
  return lengths;
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

TEST(PackBestFit, EqualsTheOrderedSetOnWholeWindows) {
  std::mt19937 random(9);
  for (const int64_t pack_tokens : {1, 2, 63, 64, 65, 1000, 2047, 2048, 4095, 4096, 5000, 70'000, 300'000}) {
    for (const size_t kinds : {1, 2, 3, 10, 100, 4000}) {
      const auto lengths = few_kinds(random, 4096, pack_tokens, kinds);
      EXPECT_EQ(pack_best_fit(lengths, pack_tokens), ordered_best_fit(lengths, pack_tokens)) << pack_tokens;
      // Halves and less, as real texts are.
      const auto shorter = few_kinds(random, 4096, std::max<int64_t>(1, pack_tokens / 8), kinds);
      EXPECT_EQ(pack_best_fit(shorter, pack_tokens), ordered_best_fit(shorter, pack_tokens)) << pack_tokens;
    }
  }
}

TEST(PackBestFit, AWindowLeavesNothingForTheNext) {
  std::mt19937 random(2);
  WindowPacker packer(512);
  for (int window = 0; window < 20; ++window) {
    const auto lengths = few_kinds(random, random() % 700, 512, 30);
    const Packs expected = ordered_best_fit(lengths, 512);
    ASSERT_EQ(packer.pack(lengths), static_cast<int64_t>(expected.size()));
    for (size_t pack = 0; pack < expected.size(); ++pack) {
      EXPECT_TRUE(std::ranges::equal(packer.documents_of(static_cast<int64_t>(pack)), expected[pack])) << window;
    }
    expect_error(ErrorKind::internal, "513 tokens", [&] { packer.pack(std::vector<int64_t>{7, 513}); });
  }
}

TEST(NumberSet, FindsTheNextMemberAcrossWords) {
  for (const size_t size : {1, 64, 65, 4096, 4097, 300'000}) {
    NumberSet numbers(size);
    std::set<size_t> expected;
    std::mt19937 random(6);
    for (int turn = 0; turn < 3000; ++turn) {
      const size_t number = random() % size;
      if (random() % 2 == 0) {
        numbers.insert(number);
        expected.insert(number);
      } else {
        numbers.erase(number);
        expected.erase(number);
      }
      const size_t from = random() % (size + 70);
      const auto next = expected.lower_bound(from);
      ASSERT_EQ(numbers.at_least(from), next == expected.end() ? NumberSet::kNone : *next) << size;
    }
  }
}

TEST(PackBestFit, RefusesWhatFitsNoPack) {
  expect_error(ErrorKind::internal, "11 tokens in packs of 10", [] { (void)pack_best_fit({3, 11}, 10); });
}

}  // namespace
}  // namespace dflash
