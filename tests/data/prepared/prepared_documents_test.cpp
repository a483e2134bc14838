// Documents over prepared folders: what training reads.
#include <gtest/gtest.h>

#include <cstring>

#include "common/base/hash.h"
#include "common/data/preloaded_dataset.h"
#include "common/data/prepared/prepared_index.h"
#include "tests/data/document_makers.h"
#include "tests/data/prepared/folder_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

void expect_document(const Documents& documents, int64_t document, const MadeDocument& expected) {
  ASSERT_EQ(documents.length(document), static_cast<int64_t>(expected.ids.size())) << document;
  EXPECT_TRUE(std::ranges::equal(documents.input_ids(document), expected.ids)) << document;
  EXPECT_EQ(loss_mask_of(documents, document), expected.mask) << document;
}

TEST(PreparedDocuments, FoldersAndDocumentsInMemoryAreOneList) {
  const TempFolder temp;
  make_folder(temp.path() / "a", 30);
  make_folder(temp.path() / "b", 8);
  Documents documents;
  documents.add(PreparedFolder::open(temp.path() / "a"));
  documents.add(made_document(50).ids, made_document(50).mask);
  documents.add(made_document(51).ids, made_document(51).mask);
  documents.add(PreparedFolder::open(temp.path() / "b"));
  documents.add(made_document(52).ids, made_document(52).mask);
  const Documents moved = std::move(documents);
  ASSERT_EQ(moved.count(), 41);
  int64_t tokens = 0;
  for (int64_t d = 0; d < moved.count(); ++d) {
    expect_document(moved, d, made_document(d < 30 ? d : d < 32 ? d + 20 : d < 40 ? d - 32 : 52));
    tokens += moved.length(d);
  }
  EXPECT_EQ(moved.tokens(), tokens);
}

TEST(PreparedDocuments, PacksAreThoseOfTheSameDocumentsInMemory) {
  const TempFolder temp;
  make_folder(temp.path() / "a", 300);
  Documents mapped, in_memory;
  mapped.add(PreparedFolder::open(temp.path() / "a"));
  for (int64_t d = 0; d < 300; ++d) in_memory.add(made_document(d).ids, made_document(d).mask);
  PreloadedDataset from_folder(std::move(mapped), 64, 3), from_memory(std::move(in_memory), 64, 3);
  ASSERT_EQ(from_folder.batches_in_epoch(0), from_memory.batches_in_epoch(0));
  for (int64_t s = 0; s < from_memory.batches_in_epoch(0); ++s) {
    const Pack a = from_folder.pack(s), b = from_memory.pack(s);
    EXPECT_EQ(a.input_ids, b.input_ids);
    EXPECT_EQ(a.loss_mask, b.loss_mask);
    EXPECT_EQ(a.document_starts, b.document_starts);
  }
  EXPECT_EQ(from_folder.padding_share(0), from_memory.padding_share(0));
}

TEST(PreparedDocuments, HashIsThatOfTheFoldersInTheirOrder) {
  const TempFolder temp;
  make_folder(temp.path() / "a", 30);
  make_folder(temp.path() / "b", 8);
  make_folder(temp.path() / "copy", 30);
  const auto hash_of = [&](const std::vector<std::string>& names) {
    Documents documents;
    for (const std::string& name : names) documents.add(PreparedFolder::open(temp.path() / name));
    return documents.hash();
  };
  EXPECT_EQ(hash_of({"a"}), hash_of({"copy"}));
  EXPECT_EQ(hash_of({"a", "b"}), hash_of({"copy", "b"}));
  EXPECT_NE(hash_of({"a", "b"}), hash_of({"b", "a"}));
  EXPECT_NE(hash_of({"a"}), hash_of({"b"}));
  EXPECT_NE(hash_of({"a"}), hash_of({"a", "a"}));
}

TEST(PreparedDocuments, AreLoadedAmongFiles) {
  const TempFolder temp;
  make_folder(temp.path() / "a", 30);
  write_text(temp.path() / "b.jsonl", R"({"input_ids":[7,8],"loss_mask":[1,1]})");
  DataLedger ledger;
  const Documents documents = load_documents({temp.path() / "b.jsonl", temp.path() / "a"}, 5000, 23, ledger);
  EXPECT_EQ(documents.count(), 31);
  expect_document(documents, 1, made_document(0));
  const PreparedFolder folder = PreparedFolder::open(temp.path() / "a");
  const ShardFacts totals = folder.totals();
  const int64_t left_out = folder.ledger().at("rows").get<int64_t>() - 30;  // when it was prepared
  EXPECT_EQ(ledger.rows, 31 + left_out);
  EXPECT_EQ(ledger.dropped, left_out);
  EXPECT_EQ(ledger.kept, 31);
  EXPECT_EQ(ledger.tokens, totals.tokens + 2);
  EXPECT_EQ(ledger.supervised_tokens, totals.supervised_tokens + 2);
}

TEST(PreparedDocuments, WhatDoesNotFitIsRefusedInWords) {
  const TempFolder temp;
  make_folder(temp.path() / "a", 30);
  std::filesystem::create_directories(temp.path() / "empty");
  {
    const PreparedWriter unfinished(temp.path() / "unfinished", kMadeKey);
  }
  const int64_t max_id = PreparedFolder::open(temp.path() / "a").totals().max_id;
  const auto load = [&](const char* name, int64_t vocab_size, int64_t pack_tokens) {
    DataLedger ledger;
    return load_documents({temp.path() / name}, vocab_size, pack_tokens, ledger).count();
  };
  EXPECT_EQ(load("a", max_id + 1, 23), 30);
  expect_error(ErrorKind::input_file, "outside the target's vocabulary", [&] { load("a", max_id, 23); });
  expect_error(ErrorKind::config, "23 tokens, but a pack holds 22; prepare the data with --max-tokens 22",
               [&] { load("a", max_id + 1, 22); });
  expect_error(ErrorKind::input_file, "a folder without prepared.json", [&] { load("empty", 100, 8); });
  expect_error(ErrorKind::input_file, "was interrupted", [&] { load("unfinished", 100, 8); });
}

TEST(PreparedDocuments, AnIdThatTheHeaderRulesOutNeverReachesAPack) {
  for (const int32_t bad : {-1, 3000}) {
    const TempFolder temp;
    make_folder(temp.path() / "a", 2);
    const auto shard = temp.path() / "a" / shard_name(0);
    std::string bytes = read_text(shard);
    std::memcpy(bytes.data() + sizeof(ShardHeader), &bad, sizeof(bad));
    write_text(shard, bytes);
    Documents documents;
    documents.add(PreparedFolder::open(temp.path() / "a"));  // only verify() would see it here
    PreloadedDataset dataset(std::move(documents), 64, 3);
    expect_error(ErrorKind::input_file, "damaged", [&] { (void)dataset.pack(0); });
  }
}

}  // namespace
}  // namespace dflash
