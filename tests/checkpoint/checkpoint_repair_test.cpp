// Choosing the newest whole checkpoint, and what resuming does to the folder.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/base/format.h"
#include "common/checkpoint/checkpoint_store.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class CheckpointRepairTest : public testing::Test {
 protected:
  /// Without prune: the newest two are not all that these tests look at.
  void make(int64_t step) {
    const fs::path staging = store_.make_staging(step);
    write_text(staging / "state/a", format("state of step {}", step));
    store_.commit(step, step, "", {"state/a"});
  }
  [[nodiscard]] fs::path folder() const { return run_.path() / "checkpoints"; }
  void damage(int64_t step) { write_text(store_.final_folder(step) / "state/a", "other"); }

  TempFolder run_;
  CheckpointStore store_{run_.path() / "checkpoints"};
};

TEST_F(CheckpointRepairTest, NoFolderHasNoNewest) {
  EXPECT_FALSE(store_.newest_whole().step);
  EXPECT_TRUE(store_.newest_whole().passed_over.empty());
  write_text(folder() / "notes.txt", "mine");
  EXPECT_FALSE(store_.newest_whole().step);
  EXPECT_TRUE(store_.newest_whole().passed_over.empty());
}

TEST_F(CheckpointRepairTest, DamagedOnesArePassedOverWithTheirReasons) {
  for (const int64_t step : {0, 10, 20}) make(step);
  EXPECT_EQ(store_.newest_whole().step, 20);
  EXPECT_TRUE(store_.newest_whole().passed_over.empty());
  fs::remove(store_.final_folder(20) / "MANIFEST.json");
  damage(10);
  const NewestWhole newest = store_.newest_whole();
  EXPECT_EQ(newest.step, 0);
  ASSERT_EQ(newest.passed_over.size(), 2u);
  EXPECT_NE(newest.passed_over[0].find("step-00000020/MANIFEST.json"), std::string::npos) << newest.passed_over[0];
  EXPECT_NE(newest.passed_over[1].find("step-00000010/state/a: damaged"), std::string::npos) << newest.passed_over[1];
  damage(0);
  EXPECT_FALSE(store_.newest_whole().step);
  EXPECT_EQ(store_.newest_whole().passed_over.size(), 3u);
}

TEST_F(CheckpointRepairTest, WhatOnlyHasTheNameIsNoCheckpoint) {
  make(10);
  write_text(folder() / "step-00000020", "a file");
  fs::create_symlink("step-00000030", folder() / "step-00000030");
  fs::create_directories(folder() / "step-00000040/MANIFEST.json");
  fs::create_directories(folder() / "step-00000050");
  ASSERT_EQ(mkfifo((folder() / "step-00000050/MANIFEST.json").c_str(), 0600), 0);
  write_text(folder() / "step-00000060/MANIFEST.json", std::string(100000, '['));
  write_text(folder() / "step-00000070/MANIFEST.json",
             R"({"version":1,"step":70,"next_sequence":1,"config_hash":"","files":[)"
             R"({"path":"../step-00000010/state/a","bytes":16,"xxh3":""}]})");
  const NewestWhole newest = store_.newest_whole();
  EXPECT_EQ(newest.step, 10);
  EXPECT_EQ(newest.passed_over.size(), 6u);
  EXPECT_NE(newest.passed_over[0].find("leads out"), std::string::npos) << newest.passed_over[0];
}

TEST_F(CheckpointRepairTest, AFolderThatIsNoneIsAnError) {
  write_text(folder(), "a file");
  expect_error(ErrorKind::checkpoint, "checkpoints: cannot be listed", [&] { (void)store_.newest_whole(); });
}

TEST_F(CheckpointRepairTest, LaterOnesAreSetAsideAndKept) {
  for (const int64_t step : {0, 10, 20}) make(step);
  fs::create_directories(folder() / "step-00000030");  // was never whole
  const auto asides = store_.set_aside_after(10);
  EXPECT_EQ(asides, (std::vector<fs::path>{folder() / "aside-step-00000020", folder() / "aside-step-00000030"}));
  EXPECT_EQ(read_text(folder() / "aside-step-00000020/state/a"), "state of step 20");
  EXPECT_EQ(store_.committed_steps(), (std::vector<int64_t>{0, 10}));
  EXPECT_TRUE(store_.set_aside_after(10).empty());
  make(20);
  EXPECT_EQ(store_.set_aside_after(10), std::vector<fs::path>{folder() / "aside-step-00000020.2"});
  EXPECT_TRUE(fs::exists(folder() / "aside-step-00000020/state/a"));
  make(20);
  EXPECT_EQ(store_.set_aside_after(10), std::vector<fs::path>{folder() / "aside-step-00000020.3"});
  make(20);  // pruning leaves what was set aside
  make(30);
  make(40);
  for (const char* name : {"aside-step-00000020", "aside-step-00000020.2", "aside-step-00000030"}) {
    EXPECT_TRUE(fs::exists(folder() / name)) << name;
  }
}

TEST_F(CheckpointRepairTest, StagingFoldersAreRemovedAndNothingElse) {
  make(10);
  (void)store_.make_staging(20);
  write_text(folder() / ".step-00000030.tmp/state/half", "x");
  write_text(run_.path() / "elsewhere/mine", "x");
  fs::create_directory_symlink(run_.path() / "elsewhere", folder() / ".step-00000040.tmp");
  const std::vector<fs::path> others = {".step-4.tmp/a", ".step-00000050/a", "x.step-00000050.tmp/a", ".tmp/a"};
  for (const fs::path& other : others) write_text(folder() / other, "mine");
  EXPECT_EQ(store_.remove_leftovers().size(), 3u);
  EXPECT_TRUE(store_.remove_leftovers().empty());
  for (const char* gone : {".step-00000020.tmp", ".step-00000030.tmp", ".step-00000040.tmp"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder() / gone))) << gone;
  }
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(folder() / other)) << other;
  EXPECT_TRUE(fs::exists(run_.path() / "elsewhere/mine"));
  EXPECT_EQ(store_.newest_whole().step, 10);
}

}  // namespace
}  // namespace dflash
