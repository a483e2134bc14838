#include "common/data/preloaded_dataset.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/data/document_makers.h"
#include "tests/support/quickstart_documents.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using Ints = std::vector<int32_t>;

TEST(PreloadedDataset, APackByHand) {
  // Lengths 3 and 4 share a pack of 10, longest first: document 1, document 0, three positions of padding.
  PreloadedDataset dataset(make_documents({3, 4}), 10, 1);
  EXPECT_EQ(dataset.batches_in_epoch(0), 1);
  const Pack pack = dataset.pack(0);
  EXPECT_EQ(pack.input_ids, (Ints{1000, 1001, 1002, 1003, 0, 1, 2, 0, 0, 0}));
  EXPECT_EQ(pack.document_ids, (Ints{0, 0, 0, 0, 1, 1, 1, -1, -1, -1}));
  EXPECT_EQ(pack.position_ids, (Ints{0, 1, 2, 3, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(pack.loss_mask, (std::vector<uint8_t>{0, 1, 1, 1, 0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(pack.document_starts, (Ints{0, 4, 7}));
  EXPECT_NEAR(dataset.padding_share(0), 0.3, 1e-12);
}

TEST(PreloadedDataset, AFullPackHasNoPadding) {
  PreloadedDataset dataset(make_documents({6, 4}), 10, 1);
  const Pack pack = dataset.pack(0);
  EXPECT_EQ(pack.document_ids, (Ints{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(pack.document_starts, (Ints{0, 6, 10}));
  EXPECT_EQ(dataset.padding_share(0), 0);
}

TEST(PreloadedDataset, PacksHoldWhatTheDocumentsHold) {
  const auto lengths = chat_lengths(300, 8);
  PreloadedDataset dataset(make_documents(lengths), 512, 5);
  int64_t padding = 0, tokens = 0;
  for (int64_t s = 0; s < dataset.batches_in_epoch(0); ++s) {
    const Pack pack = dataset.pack(s);
    ASSERT_EQ(pack.input_ids.size(), 512u);
    ASSERT_EQ(pack.loss_mask.size(), 512u);
    for (size_t i = 0; i < pack.input_ids.size(); ++i) {
      if (pack.document_ids[i] < 0) {
        ++padding;
        EXPECT_EQ(pack.loss_mask[i], 0);
        continue;
      }
      ++tokens;
      EXPECT_EQ(pack.input_ids[i] % 1000, pack.position_ids[i]);
      EXPECT_EQ(pack.loss_mask[i], pack.position_ids[i] == 0 ? 0 : 1);
      EXPECT_EQ(pack.document_starts[static_cast<size_t>(pack.document_ids[i])] + pack.position_ids[i],
                static_cast<int32_t>(i));
    }
  }
  EXPECT_NEAR(dataset.padding_share(0), static_cast<double>(padding) / static_cast<double>(padding + tokens), 1e-12);
}

TEST(PreloadedDataset, PaddingOfChatsIsBelowHalfAPercent) {
  PreloadedDataset dataset(make_documents(chat_lengths(4000, 2)), 1024, 7);
  for (int64_t epoch = 0; epoch < 3; ++epoch) EXPECT_LT(dataset.padding_share(epoch), 0.005);
}

TEST(PreloadedDataset, TheQuickstartChatsFillTheirPacks) {
  const TempFolder folder;
  DataLedger ledger;
  Documents chats = test::quickstart_documents(folder.path() / "prepared", 1024, ledger);
  EXPECT_EQ(ledger.rows, 3999);
  EXPECT_EQ(ledger.kept, 3999);
  EXPECT_EQ(ledger.bad, 0);
  PreloadedDataset dataset(std::move(chats), 1024, 7);
  EXPECT_LT(dataset.padding_share(0), 0.005);
}

TEST(PreloadedDataset, EqualSettingsGiveEqualPacks) {
  const auto lengths = chat_lengths(100, 8);
  PreloadedDataset a(make_documents(lengths), 512, 5), b(make_documents(lengths), 512, 5);
  PreloadedDataset other(make_documents(lengths), 512, 6);
  bool differs = false;
  for (int64_t s = 0; s < 40; ++s) {
    EXPECT_EQ(a.pack(s).input_ids, b.pack(s).input_ids);
    differs = differs || a.pack(s).input_ids != other.pack(s).input_ids;
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace dflash
