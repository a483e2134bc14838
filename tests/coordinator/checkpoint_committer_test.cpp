#include "coordinator/checkpoint_committer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class CheckpointCommitterTest : public testing::Test {
 protected:
  StagedCheckpoint stage(int64_t step) const {
    write_text(store_.make_staging(step) / "state/step", std::to_string(step));
    return {.step = step,
            .next_sequence = 3 * step,
            .config_hash = "abc",
            .files = {"state/step"},
            .added = {{"state/run.toml", "x = 1\n"}}};
  }

  static std::optional<int64_t> await_one(CheckpointCommitter& committer) {
    for (const auto begin = Clock::now(); Clock::now() - begin < 20s; std::this_thread::sleep_for(1ms)) {
      if (const std::optional<int64_t> step = committer.poll()) return step;
    }
    return std::nullopt;
  }

  TempFolder folder_;
  CheckpointStore store_{folder_.path()};
};

TEST_F(CheckpointCommitterTest, CommitsInOrderAndTellsOfEachOnce) {
  CheckpointCommitter committer(store_);
  EXPECT_TRUE(committer.idle());
  EXPECT_EQ(committer.poll(), std::nullopt);
  for (const int64_t step : {0, 5, 10}) committer.add(stage(step));
  EXPECT_FALSE(committer.idle());
  for (const int64_t step : {0, 5, 10}) EXPECT_EQ(await_one(committer), step);
  EXPECT_TRUE(committer.idle());
  EXPECT_EQ(committer.poll(), std::nullopt);
  EXPECT_EQ(store_.committed_steps(), (std::vector<int64_t>{0, 5, 10}));
  const CheckpointManifest manifest = store_.verify(5);
  EXPECT_EQ(manifest.next_sequence(), 15);
  EXPECT_EQ(manifest.config_hash(), "abc");
  EXPECT_EQ(read_text(store_.final_folder(5) / "state/run.toml"), "x = 1\n");
}

TEST_F(CheckpointCommitterTest, IsNotIdleUntilTheLastOneWasTold) {
  CheckpointCommitter committer(store_);
  committer.add(stage(0));
  const auto begin = Clock::now();
  while (store_.committed_steps().empty() && Clock::now() - begin < 20s) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(committer.idle()) << "it is whole, and nobody knows";
  EXPECT_EQ(await_one(committer), 0);
  EXPECT_TRUE(committer.idle());
}

TEST_F(CheckpointCommitterTest, WhatWentWrongIsThrownByPoll) {
  CheckpointCommitter committer(store_);
  StagedCheckpoint broken = stage(0);
  broken.files.push_back("state/nothing");
  committer.add(std::move(broken));
  expect_error(ErrorKind::checkpoint, "state/nothing", [&] { (void)await_one(committer); });
  EXPECT_FALSE(committer.idle()) << "a run does not end well without it";
  EXPECT_TRUE(store_.committed_steps().empty());
}

TEST_F(CheckpointCommitterTest, WhoAddsAndPollsIsNotHeldUpByTheDisk) {
  CheckpointCommitter committer(store_);
  StagedCheckpoint large = stage(0);
  write_text(store_.staging_folder(0) / "state/large", "x");
  std::filesystem::resize_file(store_.staging_folder(0) / "state/large", 256 << 20);  // takes a while to hash
  large.files.push_back("state/large");
  committer.add(std::move(large));
  EXPECT_EQ(committer.poll(), std::nullopt);
  EXPECT_TRUE(store_.committed_steps().empty()) << "add did not wait for the commit";
  EXPECT_EQ(await_one(committer), 0);
  EXPECT_EQ(store_.committed_steps(), std::vector<int64_t>{0});
}

TEST_F(CheckpointCommitterTest, TheDestructorWaitsForWhatIsUnderWay) {
  CheckpointCommitter(store_).add(stage(0));
  EXPECT_EQ(store_.verify(0).next_sequence(), 0);
}

}  // namespace
}  // namespace dflash
