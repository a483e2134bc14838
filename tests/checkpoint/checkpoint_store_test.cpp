#include "common/checkpoint/checkpoint_store.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "common/base/format.h"
#include "common/base/hash.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class CheckpointStoreTest : public testing::Test {
 protected:
  /// Stages two files whose content tells the step.
  void stage(int64_t step) {
    const fs::path staging = store_.make_staging(step);
    write_text(staging / "state/optimizer.bin", format("moments of step {}", step));
    write_text(staging / "drafter/config.json", "{}");
  }
  void commit(int64_t step) { store_.commit(step, step * 4, "00000000000000aa", kFiles); }

  const std::vector<std::string> kFiles = {"state/optimizer.bin", "drafter/config.json"};
  TempFolder run_;
  CheckpointStore store_{run_.path() / "checkpoints"};
};

TEST_F(CheckpointStoreTest, AppearsWholeAndOnlyAtTheCommit) {
  stage(20);
  EXPECT_FALSE(fs::exists(store_.final_folder(20)));
  EXPECT_TRUE(store_.committed_steps().empty());
  commit(20);
  EXPECT_EQ(store_.final_folder(20), run_.path() / "checkpoints/step-00000020");
  EXPECT_FALSE(fs::exists(store_.staging_folder(20)));
  EXPECT_EQ(read_text(store_.final_folder(20) / "state/optimizer.bin"), "moments of step 20");
  const CheckpointManifest manifest = store_.verify(20);
  EXPECT_EQ(manifest.step(), 20);
  EXPECT_EQ(manifest.next_sequence(), 80);
  EXPECT_EQ(manifest.config_hash(), "00000000000000aa");
  ASSERT_EQ(manifest.files_size(), 2);
  EXPECT_EQ(manifest.files(1).path(), "state/optimizer.bin");
  EXPECT_EQ(manifest.files(1).bytes(), 18);
  EXPECT_EQ(manifest.files(1).xxh3(), hash_hex(hash_text("moments of step 20")));
}

TEST_F(CheckpointStoreTest, WhatIsStagedMustBeWhatIsAnnounced) {
  stage(3);
  const auto refuse = [&](const std::vector<std::string>& files, const std::string& complaint) {
    expect_error(ErrorKind::checkpoint, complaint, [&] { store_.commit(3, 0, "", files); });
    EXPECT_FALSE(fs::exists(store_.final_folder(3)));
  };
  refuse({"state/optimizer.bin", "drafter/config.json", "drafter/model.safetensors"}, "drafter/model.safetensors");
  refuse({"state/optimizer.bin"}, "config.json: not one of the announced files");
  refuse({"state/optimizer.bin", "drafter/config.json", "drafter/config.json"}, "announced twice");
  refuse({"state/optimizer.bin", "../../other"}, "'../../other' is no path inside a checkpoint");
  refuse({"state/optimizer.bin", "/etc/hostname"}, "'/etc/hostname'");
  refuse({"MANIFEST.json"}, "'MANIFEST.json'");
  refuse({}, "no file");
  fs::create_symlink("config.json", store_.staging_folder(3) / "drafter/link");
  refuse({"state/optimizer.bin", "drafter/config.json", "drafter/link"}, "drafter/link: not one of");
}

TEST_F(CheckpointStoreTest, AddsFilesOfItsOwn) {
  stage(3);
  store_.commit(3, 0, "", kFiles, {{"state/run.json", "{}"}, {"state/run.toml", "[run]\n"}});
  EXPECT_EQ(read_text(store_.final_folder(3) / "state/run.toml"), "[run]\n");
  EXPECT_EQ(store_.verify(3).files_size(), 4);
  write_text(store_.final_folder(3) / "state/run.json", "{ }");
  expect_error(ErrorKind::checkpoint, "state/run.json: damaged", [&] { (void)store_.verify(3); });
  stage(4);
  const auto refuse = [&](const std::string& path, const std::string& complaint) {
    expect_error(ErrorKind::checkpoint, complaint, [&] { store_.commit(4, 0, "", kFiles, {{path, "x"}}); });
  };
  refuse("state/optimizer.bin", "announced twice");
  refuse("../outside", "no path inside a checkpoint");
  refuse("nowhere/run.json", "cannot create");
  EXPECT_FALSE(fs::exists(run_.path() / "checkpoints/outside"));
}

TEST_F(CheckpointStoreTest, WithoutStagingNothingIsCommitted) {
  expect_error(ErrorKind::checkpoint, "drafter/config.json", [&] { commit(4); });
}

TEST_F(CheckpointStoreTest, ACommittedStepIsNeverReplaced) {
  stage(5);
  commit(5);
  const fs::path staging = store_.make_staging(5);
  write_text(staging / "state/optimizer.bin", "other");
  write_text(staging / "drafter/config.json", "{}");
  expect_error(ErrorKind::checkpoint, "already", [&] { commit(5); });
  EXPECT_EQ(read_text(store_.final_folder(5) / "state/optimizer.bin"), "moments of step 5");
}

TEST_F(CheckpointStoreTest, VerifyNamesTheDamagedFile) {
  stage(7);
  commit(7);
  const fs::path victim = store_.final_folder(7) / "state/optimizer.bin";
  const std::string whole = read_text(victim);
  const auto refuse = [&](const std::string& complaint) {
    expect_error(ErrorKind::checkpoint, complaint, [&] { (void)store_.verify(7); });
  };
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    std::string flipped = whole;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 1);
    write_text(victim, flipped);
    refuse("state/optimizer.bin: damaged");
    write_text(victim, whole.substr(0, byte));
    refuse("state/optimizer.bin: damaged");
  }
  write_text(victim, whole);
  EXPECT_NO_THROW((void)store_.verify(7));
  fs::remove(victim);
  refuse("state/optimizer.bin");
  refuse("missing");
}

TEST_F(CheckpointStoreTest, VerifyRefusesAnotherStepsManifest) {
  stage(8);
  commit(8);
  fs::rename(store_.final_folder(8), store_.final_folder(9));
  expect_error(ErrorKind::checkpoint, "manifest is of step 8", [&] { (void)store_.verify(9); });
  expect_error(ErrorKind::checkpoint, "MANIFEST.json", [&] { (void)store_.verify(1); });
}

TEST_F(CheckpointStoreTest, PruneKeepsStepZeroAndTheNewestTwo) {
  for (const int64_t step : {0, 20, 40}) {
    stage(step);
    commit(step);
  }
  EXPECT_EQ(store_.committed_steps(), (std::vector<int64_t>{0, 20, 40}));
  for (const int64_t step : {60, 80}) {
    stage(step);
    commit(step);
  }
  EXPECT_EQ(store_.committed_steps(), (std::vector<int64_t>{0, 60, 80}));
  for (const int64_t step : {0, 60, 80}) EXPECT_NO_THROW((void)store_.verify(step));
  EXPECT_FALSE(fs::exists(store_.final_folder(20)) || fs::exists(store_.staging_folder(20)));
}

TEST_F(CheckpointStoreTest, PruneTouchesOnlyCheckpoints) {
  const fs::path folder = run_.path() / "checkpoints";
  const std::vector<fs::path> others = {
      "step-1/MANIFEST.json",       "step-00000001.bak/MANIFEST.json", "notes.txt",
      "step-00000002/no-manifest",  "step--0000003/MANIFEST.json",     ".step-00000004.tmp/state/a",
      "step-0000000x/MANIFEST.json"};
  for (const fs::path& path : others) write_text(folder / path, "mine");
  write_text(run_.path() / "elsewhere/MANIFEST.json", "{}");
  fs::create_directory_symlink(run_.path() / "elsewhere", folder / "step-00000005");
  for (const int64_t step : {10, 20, 30, 40}) {
    stage(step);
    commit(step);
  }
  EXPECT_EQ(store_.committed_steps(), (std::vector<int64_t>{30, 40}));
  for (const fs::path& path : others) EXPECT_TRUE(fs::exists(folder / path)) << path;
  EXPECT_TRUE(fs::exists(folder / "step-00000005/MANIFEST.json"));
}

TEST_F(CheckpointStoreTest, LeftOversGoWithTheirOwnStepOnly) {
  stage(10);
  stage(20);
  write_text(store_.staging_folder(20) / "state/half-written", "x");
  store_.make_staging(20);
  EXPECT_TRUE(fs::is_empty(store_.staging_folder(20) / "state"));
  EXPECT_TRUE(fs::exists(store_.staging_folder(10) / "state/optimizer.bin"));
}

TEST_F(CheckpointStoreTest, AFullDiskIsNoSpace) {
  const fs::path disk = run_.path() / "disk";
  fs::create_directory(disk);
  // Three inodes: the root, the staging folder and state/; none is left for drafter/.
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k,nr_inodes=3") != 0) {
    GTEST_SKIP() << "mounting a small disk needs root";
  }
  const CheckpointStore small(disk);
  expect_error(ErrorKind::no_space, "drafter", [&] { (void)small.make_staging(0); });
  EXPECT_EQ(umount(disk.c_str()), 0);
}

}  // namespace
}  // namespace dflash
