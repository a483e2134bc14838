#include "common/base/bytes_text.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(BytesText, PicksTheUnit) {
  EXPECT_EQ(bytes_text(0), "0.0 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(int64_t{1} << 20), "1.0 MiB");
  EXPECT_EQ(bytes_text(int64_t{5} << 29), "2.5 GiB");
  EXPECT_EQ(bytes_text(int64_t{3} << 40), "3.0 TiB");
}

}  // namespace
}  // namespace dflash
