// Folders that were damaged, or made to harm: every one is refused with a line that names the file.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "common/base/hash.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "tests/data/prepared/folder_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class DamagedFolder : public testing::Test {
 protected:
  void SetUp() override {
    make_folder(folder_, 20);
    shard_bytes_ = read_text(shard_);
    index_bytes_ = read_text(index_);
  }

  void expect_refused(const fs::path& file, const std::string& says) const {
    const Error error = error_of([&] { PreparedFolder::open(folder_).verify(); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }

  /// The index as `change` makes it.
  void expect_index_refused(const std::string& says, const std::function<void(Json&)>& change) const {
    Json json = parse_json(index_bytes_, "index");
    change(json);
    write_text(index_, json.dump());
    expect_refused(index_, says);
  }

  /// The shard with this header, sealed, and an index that tells the same.
  void write_sealed(const std::function<void(ShardFacts&)>& change) const {
    write_text(index_, index_bytes_);
    PreparedIndex index = read_prepared_index(folder_);
    change(index.shards[0]);
    const ShardHeader header = make_shard_header(index.shards[0]);
    std::string bytes = shard_bytes_;
    std::memcpy(bytes.data(), &header, sizeof(header));
    write_text(shard_, bytes);
    write_prepared_index(folder_, index);
  }

  /// The shard's content changed at `offset`, with hashes that fit.
  template <typename T>
  void write_content(uint64_t offset, T value) {
    std::memcpy(shard_bytes_.data() + offset, &value, sizeof(value));
    const auto content = std::as_bytes(std::span(shard_bytes_)).subspan(sizeof(ShardHeader));
    write_sealed([&](ShardFacts& facts) { facts.content_hash = hash_bytes(content); });
  }

  TempFolder temp_;
  fs::path folder_ = temp_.path() / "p";
  fs::path shard_ = folder_ / "shard-000000.tokens";
  fs::path index_ = folder_ / kPreparedName;
  std::string shard_bytes_, index_bytes_;
};

TEST_F(DamagedFolder, EveryFlippedBitOfTheHeader) {
  for (size_t bit = 0; bit < sizeof(ShardHeader) * 8; ++bit) {
    std::string bytes = shard_bytes_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_text(shard_, bytes);
    expect_refused(shard_, "prepare the data again");
  }
}

TEST_F(DamagedFolder, EveryFlippedByteOfTheContentIsFoundByVerify) {
  for (size_t i = sizeof(ShardHeader); i < shard_bytes_.size(); ++i) {
    std::string bytes = shard_bytes_;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    write_text(shard_, bytes);
    expect_refused(shard_, "prepare the data again");
  }
}

TEST_F(DamagedFolder, CutShortAnywhereOrTooLong) {
  for (size_t size = 0; size < shard_bytes_.size(); ++size) {
    write_text(shard_, shard_bytes_.substr(0, size));
    expect_refused(shard_, size < sizeof(ShardHeader) ? "bytes are no shard" : "bytes");
  }
  write_text(shard_, shard_bytes_ + '\0');
  expect_refused(shard_, "the file has");
}

TEST_F(DamagedFolder, GiantAndContradictoryCountsWithTheRightHash) {
  constexpr int64_t kHuge = int64_t{1} << 39, kHugest = INT64_MAX;
  const int64_t tokens = read_prepared_index(folder_).shards[0].tokens;
  write_sealed([&](ShardFacts& facts) { facts.tokens = kHuge; });
  expect_refused(shard_, "its header speaks of");
  write_sealed([&](ShardFacts& facts) { facts.documents = tokens; });
  expect_refused(shard_, "the file has");
  write_sealed([&](ShardFacts& facts) { facts.longest_document = tokens + 1; });
  expect_refused(shard_, "the longest document of");
  write_sealed([&](ShardFacts& facts) { facts.longest_document = 2; });
  expect_refused(shard_, "its header says 2");
  write_sealed([&](ShardFacts& facts) { facts.max_id = kHugest; });
  expect_refused(shard_, "its header speaks of");
  write_sealed([&](ShardFacts& facts) { facts.max_id += 1; });
  expect_refused(shard_, "its ids lie in 0..");
  write_sealed([&](ShardFacts& facts) { facts.supervised_tokens -= 1; });
  expect_refused(shard_, "supervised tokens, its header says");
  // A header that does not agree with the index.
  write_sealed([&](ShardFacts& facts) { facts.content_hash ^= 1; });
  write_text(index_, index_bytes_);
  expect_refused(shard_, "another shard than");
}

TEST_F(DamagedFolder, EveryOffsetIsChecked) {
  const ShardFacts facts = read_prepared_index(folder_).shards[0];
  const uint64_t offsets = shard_parts(facts.documents, facts.tokens).offsets;
  const std::string whole = shard_bytes_;
  for (int64_t document = 0; document <= facts.documents; ++document) {
    for (const uint64_t bad : {uint64_t{1} << 63, UINT64_MAX, static_cast<uint64_t>(facts.tokens) + 1}) {
      shard_bytes_ = whole;
      write_content(offsets + static_cast<uint64_t>(document) * 8, bad);
      expect_refused(shard_, "offsets do not ascend");
    }
  }
}

TEST_F(DamagedFolder, NegativeIdsAreFoundByVerify) {
  write_content(sizeof(ShardHeader), int32_t{-1});
  expect_refused(shard_, "its ids lie in -1..");
}

TEST_F(DamagedFolder, MaskBitsBehindTheLastTokenAreFoundByVerify) {
  const int64_t tokens = read_prepared_index(folder_).shards[0].tokens;
  ASSERT_NE(tokens % 8, 0);
  shard_bytes_[shard_parts(1, tokens).mask + static_cast<uint64_t>(tokens / 8)] |= static_cast<char>(0x80);
  write_sealed([&](ShardFacts& facts) {
    facts.content_hash = hash_text(std::string_view(shard_bytes_).substr(sizeof(ShardHeader)));
    facts.supervised_tokens += 1;
  });
  expect_refused(shard_, "ones behind the last token");
}

TEST_F(DamagedFolder, LinksFoldersAndMissingShards) {
  fs::rename(shard_, temp_.path() / "elsewhere");
  expect_refused(shard_, "cannot open");
  fs::create_symlink(temp_.path() / "elsewhere", shard_);
  expect_refused(shard_, "a symbolic link");
  fs::remove(shard_);
  fs::create_directory(shard_);
  expect_refused(shard_, "not a regular file");
}

TEST_F(DamagedFolder, IndexesThatCannotBe) {
  expect_index_refused("key 'format' is missing", [](Json& json) { json.erase("format"); });
  expect_index_refused("key 'format' is \"x\"", [](Json& json) { json["format"] = "x"; });
  expect_index_refused("version 2, this program reads 1", [](Json& json) { json["version"] = 2; });
  expect_index_refused("key 'version' is -1, expected a count", [](Json& json) { json["version"] = -1; });
  expect_index_refused("key 'key' is missing", [](Json& json) { json.erase("key"); });
  expect_index_refused("key 'ledger' is missing", [](Json& json) { json.erase("ledger"); });
  expect_index_refused("'shards' is no list", [](Json& json) { json["shards"] = Json::array(); });
  expect_index_refused("'shards' is no list", [](Json& json) { json["shards"] = 5; });
  expect_index_refused("an entry of 'shards' is no object", [](Json& json) { json["shards"][0] = 5; });
  expect_index_refused("no JSON object", [](Json& json) { json = Json::array(); });
  expect_index_refused("its totals are not those", [](Json& json) { json["totals"]["documents"] = 21; });
  expect_index_refused("its totals are not those", [](Json& json) { json["shards"].erase(json["shards"].size() - 1); });
  write_text(index_, "{");
  expect_refused(index_, "JSON");
}

TEST_F(DamagedFolder, EntriesOfTheIndexThatCannotBe) {
  for (const char* name : {"../../etc/passwd", "/etc/passwd", "shard-000001.tokens", "", "shard-000000.tokens/"}) {
    expect_index_refused("a shard's 'file' is", [&](Json& json) { json["shards"][0]["file"] = name; });
  }
  for (const char* key : {"documents", "tokens", "supervised_tokens", "longest_document", "max_id", "bytes"}) {
    const std::string named = std::string("key '") + key + "' is ";
    expect_index_refused(named + "-1", [&](Json& json) { json["shards"][0][key] = -1; });
    expect_index_refused(named + "1.5", [&](Json& json) { json["shards"][0][key] = 1.5; });
    expect_index_refused(named + "184467", [&](Json& json) { json["shards"][0][key] = UINT64_MAX; });
    expect_index_refused(named + "missing", [&](Json& json) { json["shards"][0].erase(key); });
    expect_index_refused("", [&](Json& json) { json["shards"][0][key] = INT64_MAX; });
  }
  expect_index_refused("a hash of sixteen digits", [](Json& json) { json["shards"][0]["xxh3"] = "0x12"; });
  expect_index_refused("a hash of sixteen digits", [](Json& json) { json["shards"][0]["xxh3"] = 12; });
  expect_index_refused("cannot be", [](Json& json) { json["shards"][0]["documents"] = 0; });
}

}  // namespace
}  // namespace dflash
