#include "common/data/prepared/mask_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace dflash {
namespace {

TEST(MaskBits, TokenTIsBitTOfTheBytes) {
  std::vector<uint8_t> bits;
  EXPECT_EQ(append_mask(std::vector<uint8_t>{1, 0, 0, 1, 0, 0, 0, 0, 0, 7}, 0, bits), 3);
  EXPECT_EQ(bits, (std::vector<uint8_t>{0b1001, 0b10}));
}

TEST(MaskBits, EveryPieceComesBackFromWhereverItBegins) {
  std::mt19937 random(3);
  std::vector<uint8_t> bits, all;
  for (int piece = 0; piece < 200; ++piece) {
    std::vector<uint8_t> mask(random() % 40);
    for (uint8_t& value : mask) value = static_cast<uint8_t>(random() % 2);
    EXPECT_EQ(append_mask(mask, all.size(), bits), std::ranges::count(mask, 1));
    all.insert(all.end(), mask.begin(), mask.end());
    EXPECT_EQ(bits.size(), mask_bytes(all.size()));
  }
  EXPECT_EQ(count_mask(bits), std::ranges::count(all, 1));
  for (size_t first = 0; first < all.size(); first += 13) {
    std::vector<uint8_t> found(std::min<size_t>(50, all.size() - first), 9);
    unpack_mask(bits, first, found);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), all.begin() + static_cast<std::ptrdiff_t>(first))) << first;
  }
}

}  // namespace
}  // namespace dflash
