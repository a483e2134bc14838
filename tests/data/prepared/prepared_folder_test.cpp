#include "common/data/prepared/prepared_folder.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/data/prepared/folder_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

TEST(PreparedFolder, GivesBackWhatWasWritten) {
  const TempFolder temp;
  make_folder(temp.path() / "p", 40);
  const PreparedFolder folder = PreparedFolder::open(temp.path() / "p");
  EXPECT_GT(folder.shards().size(), 3u);
  ASSERT_EQ(folder.count(), 40);
  int64_t tokens = 0, supervised = 0;
  for (int64_t d = 0; d < folder.count(); ++d) {
    const MadeDocument expected = made_document(d);
    ASSERT_EQ(folder.length(d), static_cast<int64_t>(expected.ids.size())) << d;
    EXPECT_TRUE(std::ranges::equal(folder.input_ids(d), expected.ids)) << d;
    std::vector<uint8_t> mask(expected.ids.size(), 9);
    folder.copy_loss_mask(d, mask);
    EXPECT_EQ(mask, expected.mask) << d;
    tokens += folder.length(d);
    supervised += std::ranges::count(mask, 1);
  }
  EXPECT_EQ(folder.totals().tokens, tokens);
  EXPECT_EQ(folder.totals().supervised_tokens, supervised);
  EXPECT_EQ(folder.totals().longest_document, 23);
  EXPECT_EQ(folder.totals().max_id, 3900 + 39 * 7 % 23);
  EXPECT_EQ(folder.key(), kMadeKey);
  EXPECT_EQ(folder.ledger(), kMadeLedger);
  folder.verify();
}

TEST(PreparedFolder, TheBytesOfAShardAreThoseOfTheFormat) {
  const TempFolder temp;
  PreparedWriter writer(temp.path() / "p", kMadeKey);
  writer.add(std::vector<int32_t>{5, 6, 7}, std::vector<uint8_t>{0, 1, 1});
  writer.add(std::vector<int32_t>{9, 8}, std::vector<uint8_t>{0, 1});
  writer.finish(kMadeLedger);
  const std::string bytes = read_text(temp.path() / "p" / "shard-000000.tokens");
  // 72 of header, 20 of ids, 4 of zeros, 1 of mask bits, 7 of zeros, 24 of offsets.
  ASSERT_EQ(bytes.size(), 128u);
  const auto number_at = [&](size_t offset, auto number) {
    std::memcpy(&number, bytes.data() + offset, sizeof(number));
    return number;
  };
  EXPECT_EQ(bytes.substr(0, 8), "DFLshard");
  EXPECT_EQ(number_at(8, uint32_t{}), 1u);   // version
  EXPECT_EQ(number_at(16, uint64_t{}), 2u);  // documents
  EXPECT_EQ(number_at(24, uint64_t{}), 5u);  // tokens
  EXPECT_EQ(number_at(32, uint64_t{}), 3u);  // supervised
  EXPECT_EQ(number_at(40, uint64_t{}), 3u);  // longest
  EXPECT_EQ(number_at(48, uint64_t{}), 9u);  // greatest id
  EXPECT_EQ(number_at(72 + 12, int32_t{}), 9);
  EXPECT_EQ(number_at(96, uint8_t{}), 0b10110);
  EXPECT_EQ(number_at(104 + 8, uint64_t{}), 3u);
  EXPECT_EQ(number_at(104 + 16, uint64_t{}), 5u);
}

TEST(PreparedFolder, HashSeesEveryIdMaskAndLength) {
  const TempFolder temp;
  int made = 0;
  const auto hash_of = [&](const std::vector<MadeDocument>& documents) {
    const auto path = temp.path() / std::to_string(made++);
    PreparedWriter writer(path, kMadeKey);
    for (const MadeDocument& document : documents) writer.add(document.ids, document.mask);
    writer.finish(kMadeLedger);
    return PreparedFolder::open(path).hash();
  };
  const uint64_t hash = hash_of({{{1, 2}, {0, 1}}, {{3}, {1}}});
  EXPECT_EQ(hash_of({{{1, 2}, {0, 1}}, {{3}, {1}}}), hash);
  EXPECT_NE(hash_of({{{1, 9}, {0, 1}}, {{3}, {1}}}), hash);
  EXPECT_NE(hash_of({{{1, 2}, {1, 1}}, {{3}, {1}}}), hash);
  EXPECT_NE(hash_of({{{1}, {0}}, {{2, 3}, {1, 1}}}), hash);  // same tokens, cut elsewhere
  EXPECT_NE(hash_of({{{3}, {1}}, {{1, 2}, {0, 1}}}), hash);
}

TEST(PreparedFolder, AFolderThatIsNotWholeIsRefused) {
  const TempFolder temp;
  expect_error(ErrorKind::input_file, "prepared.json", [&] { (void)PreparedFolder::open(temp.path()); });
  PreparedWriter writer(temp.path() / "p", kMadeKey);
  expect_error(ErrorKind::input_file, "prepared.json", [&] { (void)PreparedFolder::open(temp.path() / "p"); });
}

}  // namespace
}  // namespace dflash
