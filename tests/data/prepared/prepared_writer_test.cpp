#include "common/data/prepared/prepared_writer.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/data/prepared/prepared_folder.h"
#include "tests/data/prepared/folder_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

void add(PreparedWriter& writer, int64_t d) {
  const MadeDocument document = made_document(d);
  writer.add(document.ids, document.mask);
}

TEST(PreparedWriter, TwoFoldersOfTheSameDocumentsAreTheSameBytes) {
  const TempFolder temp;
  make_folder(temp.path() / "a", 40);
  make_folder(temp.path() / "elsewhere" / "b", 40);
  EXPECT_EQ(files_in(temp.path() / "a"), files_in(temp.path() / "elsewhere" / "b"));
  const auto files = files_in(temp.path() / "a");
  EXPECT_TRUE(files.contains("prepared.json"));
  EXPECT_FALSE(files.contains("preparing.json"));
  EXPECT_FALSE(files.contains("shard-000000.json"));
}

TEST(PreparedWriter, GoesOnBehindTheLastWholeShard) {
  const TempFolder temp;
  make_folder(temp.path() / "whole", 40);
  {
    PreparedWriter first(temp.path() / "p", kMadeKey, kMadeShardTokens);
    EXPECT_FALSE(first.resume_state());
    int64_t d = 0;
    for (; !first.shard_is_full(); ++d) add(first, d);
    first.close_shard({{"next", d}});
    EXPECT_EQ(first.resume_state(), Json({{"next", d}}));
    add(first, d);  // lost with the writer
    EXPECT_EQ(first.totals().documents, d + 1);
  }
  {
    const PreparedWriter second(temp.path() / "p", kMadeKey, kMadeShardTokens);
    ASSERT_TRUE(second.resume_state());
    EXPECT_EQ((*second.resume_state())["next"], second.totals().documents);
  }
  make_folder(temp.path() / "p", 40);
  EXPECT_EQ(files_in(temp.path() / "p"), files_in(temp.path() / "whole"));
}

TEST(PreparedWriter, AShardIsFullByTokensOrByDocuments) {
  const TempFolder temp;
  PreparedWriter writer(temp.path() / "p", kMadeKey, 64);
  EXPECT_FALSE(writer.shard_is_full());
  writer.add(std::vector<int32_t>(63, 1), std::vector<uint8_t>(63, 1));
  EXPECT_FALSE(writer.shard_is_full());
  writer.add(std::vector<int32_t>{1}, std::vector<uint8_t>{1});
  EXPECT_TRUE(writer.shard_is_full());
  writer.close_shard({});
  for (int d = 0; d < 7; ++d) writer.add(std::vector<int32_t>{1}, std::vector<uint8_t>{1});
  EXPECT_FALSE(writer.shard_is_full());
  writer.add(std::vector<int32_t>{1}, std::vector<uint8_t>{1});
  EXPECT_TRUE(writer.shard_is_full());
}

TEST(PreparedWriter, AnotherKeyIsRefusedInWords) {
  const TempFolder temp;
  {
    const PreparedWriter first(temp.path() / "p", kMadeKey);
  }
  Json other = kMadeKey;
  other["max_tokens"] = 128;
  expect_error(ErrorKind::config, "\"max_tokens\" was 64 and is 128 now",
               [&] { PreparedWriter(temp.path() / "p", other); });
  other = kMadeKey;
  other["reasoning"] = true;
  expect_error(ErrorKind::config, "\"reasoning\" was not there and is true now",
               [&] { PreparedWriter(temp.path() / "p", other); });
  expect_error(ErrorKind::config, "they were", [&] { PreparedWriter(temp.path() / "p", Json("text")); });
}

TEST(PreparedWriter, AKeyThatIsNotUtf8IsTheSameKeyAgain) {
  const TempFolder temp;
  const Json key = {{"file", "\xFF.jsonl"}};
  {
    const PreparedWriter first(temp.path() / "p", key);
  }
  const PreparedWriter second(temp.path() / "p", key);
  EXPECT_EQ(second.totals().documents, 0);
}

TEST(PreparedWriter, FoldersOfOthersAreLeftAlone) {
  const TempFolder temp;
  write_text(temp.path() / "full" / "thesis.txt", "years of work");
  expect_error(ErrorKind::config, "it is not empty (thesis.txt)",
               [&] { PreparedWriter(temp.path() / "full", kMadeKey); });
  write_text(temp.path() / "tmp" / "their.json.12.tmp", "work");
  expect_error(ErrorKind::config, "it is not empty", [&] { PreparedWriter(temp.path() / "tmp", kMadeKey); });
  EXPECT_EQ(read_text(temp.path() / "tmp" / "their.json.12.tmp"), "work");
  make_folder(temp.path() / "done", 3);
  const auto before = files_in(temp.path() / "done");
  expect_error(ErrorKind::config, "it holds prepared data already",
               [&] { PreparedWriter(temp.path() / "done", kMadeKey); });
  EXPECT_EQ(files_in(temp.path() / "done"), before);
  write_text(temp.path() / "file", "");
  expect_error(ErrorKind::checkpoint, "cannot create", [&] { PreparedWriter(temp.path() / "file", kMadeKey); });
}

TEST(PreparedWriter, OneWriterAtATime) {
  const TempFolder temp;
  const PreparedWriter first(temp.path() / "p", kMadeKey);
  expect_error(ErrorKind::config, "another process is preparing data in it",
               [&] { PreparedWriter(temp.path() / "p", kMadeKey); });
}

TEST(PreparedWriter, BadDocumentsAndEmptyShardsAreOurOwnFault) {
  const TempFolder temp;
  PreparedWriter writer(temp.path() / "p", kMadeKey);
  expect_error(ErrorKind::internal, "without documents", [&] { writer.close_shard({}); });
  expect_error(ErrorKind::internal, "without documents", [&] { writer.finish({}); });
  using Ids = std::vector<int32_t>;
  using Mask = std::vector<uint8_t>;
  expect_error(ErrorKind::internal, "needs tokens", [&] { writer.add(Ids{}, Mask{}); });
  expect_error(ErrorKind::internal, "one mask value for each", [&] { writer.add(Ids{1, 2}, Mask{1}); });
  expect_error(ErrorKind::internal, "token id -4 is negative", [&] { writer.add(Ids{1, -4}, Mask{1, 1}); });
}

TEST(PreparedWriter, AnUnfinishedFolderThatWasDamagedIsRefused) {
  const TempFolder temp;
  {
    PreparedWriter writer(temp.path() / "p", kMadeKey, kMadeShardTokens);
    add(writer, 5);
    writer.close_shard({{"next", 6}});
  }
  const auto shard = temp.path() / "p" / "shard-000000.tokens";
  const std::string whole = read_text(shard);
  write_text(shard, whole.substr(0, whole.size() - 8));
  expect_error(ErrorKind::input_file, "shard-000000.tokens", [&] { PreparedWriter(temp.path() / "p", kMadeKey); });
  std::filesystem::remove(shard);
  expect_error(ErrorKind::input_file, "shard-000000.tokens", [&] { PreparedWriter(temp.path() / "p", kMadeKey); });
}

TEST(PreparedWriter, AFullDiskIsSaidAndCostsNoShard) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const TempFolder temp;
  make_folder(temp.path() / "whole", 40);
  {
    PreparedWriter writer(temp.path() / "p", kMadeKey, kMadeShardTokens);
    int64_t d = 0;
    for (; !writer.shard_is_full(); ++d) add(writer, d);
    writer.close_shard({{"next", d}});
    // The temporary file of this process is a link to a device that is always full.
    std::filesystem::create_symlink("/dev/full", temporary_name(temp.path() / "p" / "shard-000001.tokens"));
    add(writer, d);
    expect_error(ErrorKind::no_space, "shard-000001.tokens", [&] { writer.close_shard({{"next", d + 1}}); });
  }
  const auto files = files_in(temp.path() / "p");
  EXPECT_EQ(files.size(), 3u);  // the key, the first shard, its state
  make_folder(temp.path() / "p", 40);
  EXPECT_EQ(files_in(temp.path() / "p"), files_in(temp.path() / "whole"));
}

}  // namespace
}  // namespace dflash
