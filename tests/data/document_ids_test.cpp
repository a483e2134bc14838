#include "common/data/document_ids.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/base/random.h"

namespace dflash {
namespace {

std::vector<int32_t> ids(DocumentIdsWay way, const std::vector<int32_t>& starts, size_t positions) {
  std::vector<int32_t> out(positions, 77);
  fill_document_ids(way, starts, out);
  return out;
}

TEST(DocumentIds, BothWaysGiveWhatIsWrittenHere) {
  for (const DocumentIdsWay way : {DocumentIdsWay::repeat, DocumentIdsWay::fixed_shape}) {
    EXPECT_EQ(ids(way, {0, 3, 4, 6}, 8), (std::vector<int32_t>{0, 0, 0, 1, 2, 2, -1, -1}));
    EXPECT_EQ(ids(way, {0, 8}, 8), std::vector<int32_t>(8, 0)) << "one document fills the pack";
    EXPECT_EQ(ids(way, {0}, 3), std::vector<int32_t>(3, -1)) << "no document";
  }
}

TEST(DocumentIds, BothWaysAgreeOnAnyPack) {
  const CounterRandom random(1, RandomPurpose::document_order, 0);
  for (uint64_t pack = 0; pack < 500; ++pack) {
    const size_t positions = 1 + random.bits(2 * pack) % 300;
    std::vector<int32_t> starts{0};
    for (uint64_t d = 0;; ++d) {
      const auto length = static_cast<int32_t>(1 + random.bits((pack << 20) + d + 1'000'000) % 40);
      if (static_cast<size_t>(starts.back() + length) > positions) break;
      starts.push_back(starts.back() + length);
    }
    ASSERT_EQ(ids(DocumentIdsWay::repeat, starts, positions), ids(DocumentIdsWay::fixed_shape, starts, positions));
  }
}

}  // namespace
}  // namespace dflash
