#include "common/plan/large_product.h"

#include <gtest/gtest.h>

#include <limits>

namespace dflash {
namespace {

TEST(LargeProduct, IsTheProductOrHuge) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(large_product({}), 1);
  EXPECT_EQ(large_product({3, 5, 7}), 105);
  EXPECT_EQ(large_product({kHuge / 2, 2}), kHuge);
  EXPECT_EQ(large_product({kMax, kMax, kMax}), kHuge);
  EXPECT_EQ(large_product({int64_t{1} << 40, int64_t{1} << 40, 2}), kHuge);
  EXPECT_EQ(large_product({kMax, kMax, 0}), 0);
}

}  // namespace
}  // namespace dflash
