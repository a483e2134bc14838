#include "common/data/documents.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/data/document_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Ids = std::vector<int32_t>;
using Mask = std::vector<uint8_t>;

Documents two(const Ids& a, const Mask& ma, const Ids& b, const Mask& mb) {
  Documents documents;
  documents.add(a, ma);
  documents.add(b, mb);
  return documents;
}

TEST(Documents, KeepsWhatWasAdded) {
  const Documents documents = two({1, 2, 3}, {0, 1, 1}, {7}, {1});
  EXPECT_EQ(documents.count(), 2);
  EXPECT_EQ(documents.length(0), 3);
  EXPECT_EQ(documents.length(1), 1);
  EXPECT_TRUE(std::ranges::equal(documents.input_ids(0), Ids{1, 2, 3}));
  EXPECT_EQ(loss_mask_of(documents, 0), (Mask{0, 1, 1}));
  EXPECT_TRUE(std::ranges::equal(documents.input_ids(1), Ids{7}));
  EXPECT_EQ(Documents().count(), 0);
}

TEST(Documents, HashSeesEveryIdMaskAndLength) {
  const uint64_t hash = two({1, 2}, {0, 1}, {3}, {1}).hash();
  EXPECT_EQ(two({1, 2}, {0, 1}, {3}, {1}).hash(), hash);
  EXPECT_NE(two({1, 9}, {0, 1}, {3}, {1}).hash(), hash);
  EXPECT_NE(two({1, 2}, {1, 1}, {3}, {1}).hash(), hash);
  EXPECT_NE(two({1}, {0}, {2, 3}, {1, 1}).hash(), hash);  // same tokens, cut elsewhere
  EXPECT_NE(two({3}, {1}, {1, 2}, {0, 1}).hash(), hash);
}

TEST(Documents, RefusesEmptyAndUnequal) {
  Documents documents;
  expect_error(ErrorKind::internal, "needs tokens", [&] { documents.add(Ids{}, Mask{}); });
  expect_error(ErrorKind::internal, "one mask value for each", [&] { documents.add(Ids{1, 2}, Mask{1}); });
  EXPECT_EQ(documents.count(), 0);
}

}  // namespace
}  // namespace dflash
