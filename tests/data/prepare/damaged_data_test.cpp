// Folders that were damaged, finished or not: refused in words, and removed by who may; what a killed process left.
#include <gtest/gtest.h>

#include <functional>

#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "common/data/prepared/prepared_writer.h"
#include "tests/data/prepare/prepare_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class DamagedData : public testing::Test {
 protected:
  DamagedData() {
    (void)prepare(folder_.path() / "whole", FolderUse::keep);
    whole_ = contents_of(folder_.path() / "whole");
  }
  PrepareOutcome prepare(const fs::path& folder, FolderUse use, bool stop = false) {
    PrepareEvents events;
    events.notice = [&](const std::string& line) { told_ += line + "\n"; };
    int64_t rows = 0;
    events.progress = [&](const PrepareProgress& progress) { rows = progress.rows; };
    if (stop) events.should_stop = [&] { return rows > 40; };
    return prepare_data(files_, settings_, folder, events, use);
  }
  static void flip_byte(const fs::path& file) {
    std::string bytes = read_text(file);
    bytes[20] = static_cast<char>(bytes[20] ^ 1);
    write_text(file, bytes);
  }

  /// Whoever may not remove it is told; the others prepare anew, and end with the bytes of an unbroken run.
  void expect_mended(const std::string& damaged_file, bool stop, const std::function<void(const fs::path&)>& damage) {
    for (const FolderUse use : {FolderUse::overwrite, FolderUse::cache}) {
      fs::remove_all(p_);
      ASSERT_EQ(prepare(p_, FolderUse::keep, stop).end, stop ? PrepareEnd::stopped : PrepareEnd::written);
      damage(p_ / damaged_file);
      const auto before = contents_of(p_);
      const Error error = error_of([&] { (void)prepare(p_, FolderUse::keep); });
      EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
      EXPECT_TRUE(says(error, {damaged_file, "is damaged", "name another folder, or overwrite it"}));
      EXPECT_EQ(contents_of(p_), before);
      told_.clear();
      EXPECT_EQ(prepare(p_, use).end, PrepareEnd::written);
      EXPECT_NE(told_.find("is damaged"), std::string::npos) << told_;
      EXPECT_EQ(contents_of(p_), whole_);
    }
  }

  TempFolder folder_;
  PrepareSettings settings_ = made_settings();
  std::vector<std::string> files_ = made_files(folder_.path());
  std::map<std::string, std::string> whole_;
  fs::path p_ = folder_.path() / "p";
  std::string told_;
};

TEST_F(DamagedData, FinishedAndThenAHeaderIsWrong) {
  expect_mended("shard-000001.tokens", false, flip_byte);
}

TEST_F(DamagedData, FinishedAndThenAShardIsGone) {
  expect_mended("shard-000002.tokens", false, [](const fs::path& file) { fs::remove(file); });
}

TEST_F(DamagedData, FinishedAndThenTheIndexIsNoJson) {
  expect_mended("prepared.json", false, [](const fs::path& file) { write_text(file, "{\"format\":"); });
}

TEST_F(DamagedData, UnfinishedAndThenAHeaderIsWrong) {
  expect_mended("shard-000000.tokens", true, flip_byte);
}

TEST_F(DamagedData, UnfinishedAndThenAStateIsNoJson) {
  expect_mended("shard-000001.json", true, [](const fs::path& file) { write_text(file, "{"); });
}

TEST_F(DamagedData, UnfinishedAndThenItsKeyIsNoJson) {
  expect_mended("preparing.json", true, [](const fs::path& file) { write_text(file, ""); });
}

TEST_F(DamagedData, FilesOfOthersStay) {
  (void)prepare(p_, FolderUse::keep);
  write_text(p_ / "thesis.txt", "years of work");
  settings_.max_tokens = 64;
  EXPECT_EQ(prepare(p_, FolderUse::overwrite).end, PrepareEnd::written);
  EXPECT_EQ(read_text(p_ / "thesis.txt"), "years of work");
}

TEST_F(DamagedData, ACacheRemovesNoDataOfAnotherKey) {
  (void)prepare(p_, FolderUse::keep);
  settings_.max_tokens = 64;
  expect_error(ErrorKind::config, "settings.max_tokens", [&] { (void)prepare(p_, FolderUse::cache); });
  EXPECT_EQ(contents_of(p_), whole_);
}

TEST_F(DamagedData, WhatAProcessKilledBehindTheEndLeftIsRemoved) {
  ASSERT_EQ(prepare(p_, FolderUse::keep, /*stop=*/true).end, PrepareEnd::stopped);
  const auto unfinished = contents_of(p_);
  ASSERT_TRUE(unfinished.contains("shard-000001.json"));
  EXPECT_EQ(prepare(p_, FolderUse::keep).end, PrepareEnd::written);
  for (const char* name : {"preparing.json", "shard-000000.json", "shard-000001.json"}) {
    write_text(p_ / name, unfinished.at(name));
  }
  EXPECT_EQ(PreparedFolder::open(p_).count(), 60);
  EXPECT_EQ(prepare(p_, FolderUse::keep).end, PrepareEnd::existed);
  EXPECT_EQ(contents_of(p_), whole_);
}

}  // namespace
}  // namespace dflash
