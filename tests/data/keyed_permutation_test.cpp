#include "common/data/keyed_permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace dflash {
namespace {

KeyedPermutation of_epoch(uint64_t size, uint64_t seed, uint64_t epoch) {
  return {size, CounterRandom(seed, RandomPurpose::document_order, epoch)};
}

std::vector<uint64_t> listed(uint64_t size, uint64_t seed, uint64_t epoch) {
  const KeyedPermutation permutation = of_epoch(size, seed, epoch);
  std::vector<uint64_t> elements;
  for (uint64_t i = 0; i < size; ++i) elements.push_back(permutation(i));
  return elements;
}

TEST(KeyedPermutation, EveryElementOnceForManySizes) {
  std::vector<uint64_t> sizes{31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 16385, 100'003};
  for (uint64_t size = 1; size <= 20; ++size) sizes.push_back(size);
  for (const uint64_t size : sizes) {
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<uint64_t> elements = listed(size, 1, epoch);
      std::sort(elements.begin(), elements.end());
      std::vector<uint64_t> all(size);
      std::iota(all.begin(), all.end(), uint64_t{0});
      ASSERT_EQ(elements, all) << size;
    }
  }
}

TEST(KeyedPermutation, EpochsAndSeedsDifferAndRepeatThemselves) {
  const auto first = listed(1000, 1, 0);
  EXPECT_EQ(first, listed(1000, 1, 0));
  EXPECT_NE(first, listed(1000, 1, 1));
  EXPECT_NE(first, listed(1000, 2, 0));
}

TEST(KeyedPermutation, LooksShuffled) {
  constexpr uint64_t kSize = 4096;
  int64_t fixed = 0, rising = 0;
  double distance = 0;
  const auto elements = listed(kSize, 5, 0);
  for (uint64_t i = 0; i < kSize; ++i) {
    fixed += elements[i] == i ? 1 : 0;
    if (i > 0) rising += elements[i] > elements[i - 1] ? 1 : 0;
    distance += std::abs(static_cast<double>(elements[i]) - static_cast<double>(i));
  }
  EXPECT_LT(fixed, 12);                                    // one is expected
  EXPECT_NEAR(static_cast<double>(rising), 2048, 5 * 19);  // standard deviation sqrt(4096 / 12)
  EXPECT_NEAR(distance / kSize, kSize / 3.0, 80);          // mean distance n / 3
}

TEST(KeyedPermutation, EveryElementComesFirstAboutEquallyOften) {
  constexpr uint64_t kSize = 7;
  constexpr int kEpochs = 7000;
  std::vector<int> first(kSize);
  for (uint64_t epoch = 0; epoch < kEpochs; ++epoch) ++first[of_epoch(kSize, 3, epoch)(0)];
  for (const int count : first) EXPECT_NEAR(count, 1000, 5 * 30);  // standard deviation 29.3
}

TEST(KeyedPermutation, LargeSizesStayInRangeAndInjective) {
  const uint64_t size = (uint64_t{1} << 40) + 12345;
  const KeyedPermutation permutation = of_epoch(size, 9, 0);
  std::vector<uint64_t> elements;
  for (uint64_t i = 0; i < 1000; ++i) elements.push_back(permutation(size - 1 - i));
  std::sort(elements.begin(), elements.end());
  EXPECT_LT(elements.back(), size);
  EXPECT_EQ(std::adjacent_find(elements.begin(), elements.end()), elements.end());
}

TEST(KeyedPermutation, PiecesOfAnyLengthAreTheSameElements) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{2}, uint64_t{70}, uint64_t{1025}, uint64_t{100'003},
                              (uint64_t{1} << 34) + 1, uint64_t{1} << 40, (uint64_t{1} << 62) + 5}) {
    const KeyedPermutation permutation = of_epoch(size, 21, 3);
    for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{63}, uint64_t{64}, uint64_t{65}, uint64_t{1000}}) {
      if (count > size) continue;
      for (const uint64_t first : {uint64_t{0}, (size - count) / 2, size - count}) {
        std::vector<int64_t> elements(count, -1);
        permutation.fill(first, elements);
        for (uint64_t i = 0; i < count; ++i) {
          ASSERT_EQ(static_cast<uint64_t>(elements[i]), permutation(first + i)) << size << " " << first + i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dflash
