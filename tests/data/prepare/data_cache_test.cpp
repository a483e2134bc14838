// What lies in a cache of prepared data: entries, sizes, last use, and when a person is told.
#include "common/data/prepare/data_cache.h"

#include <gtest/gtest.h>

#include <chrono>

#include "common/base/format.h"
#include "common/data/prepared/prepared_writer.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class DataCache : public testing::Test {
 protected:
  /// Three tokens, last used `hours` ago.
  void add(const std::string& name, int hours, bool finished = true) const {
    const fs::path folder = cache() / name;
    {
      PreparedWriter writer(folder, Json{{"name", name}});
      writer.add(std::vector<int32_t>{1, 2, 3}, std::vector<uint8_t>{0, 1, 1});
      if (finished) writer.finish(Json::object());
    }
    const fs::path index = folder / (finished ? "prepared.json" : "preparing.json");
    fs::last_write_time(index, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  [[nodiscard]] fs::path cache() const { return folder_.path() / "prepared-data"; }
  TempFolder folder_;
};

TEST_F(DataCache, TheLastUsedStandsFirst) {
  EXPECT_TRUE(list_cache(cache()).empty()) << "there is no such folder";
  add("a", 5);
  add("b", 1);
  add("c", 3, /*finished=*/false);
  fs::create_directories(cache() / "another program's");
  write_text(cache() / "notes.txt", "mine");
  const auto entries = list_cache(cache());
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].folder, cache() / "b");
  EXPECT_EQ(entries[1].folder, cache() / "c");
  EXPECT_EQ(entries[2].folder, cache() / "a");
  EXPECT_TRUE(entries[0].finished);
  EXPECT_FALSE(entries[1].finished);
  int64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(cache() / "b")) bytes += static_cast<int64_t>(file.file_size());
  EXPECT_EQ(entries[0].bytes, bytes);
  EXPECT_NEAR(static_cast<double>(std::time(nullptr) - entries[2].last_use), 5 * 3600, 60);
}

TEST_F(DataCache, AUseIsNoted) {
  add("a", 5);
  add("b", 1);
  note_cache_use(cache() / "a");
  EXPECT_EQ(list_cache(cache()).front().folder, cache() / "a");
  EXPECT_NO_THROW(note_cache_use(cache() / "absent"));
  EXPECT_FALSE(fs::exists(cache() / "absent"));
}

TEST_F(DataCache, AFewEntriesAreNotTalkedOf) {
  for (int i = 0; i < 8; ++i) add(format("{}", i), i);
  EXPECT_EQ(cache_notice(cache()), "");
  add("one more", 9);
  EXPECT_TRUE(cache_notice(cache()).starts_with(format("9 prepared data sets lie in {}, ", cache().string())))
      << cache_notice(cache());
}

}  // namespace
}  // namespace dflash
