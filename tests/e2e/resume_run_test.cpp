// A run that goes on from a checkpoint is the unbroken run, to the bit.

#include <gtest/gtest.h>
#include <signal.h>

#include "common/checkpoint/checkpoint_store.h"
#include "tests/support/running_job.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using test::TinyRun;

constexpr const char* kTwentySteps = "--set train.steps=20 --set checkpoint.every_steps=10";

class ResumeRun : public ::testing::Test {
 protected:
  test::ProgramResult train(const std::string& run, const std::string& arguments) {
    return tiny_.train(format("{} --set run.dir={} {}", kTwentySteps, tiny_.path(run).string(), arguments));
  }
  void expect_refused(const std::string& arguments, int code, const std::vector<std::string>& words) {
    const auto result = train("broken", arguments);
    EXPECT_EQ(result.exit_code, code) << result.output;
    for (const std::string& word : words) EXPECT_NE(result.output.find(word), std::string::npos) << result.output;
  }
  [[nodiscard]] std::vector<std::string> curve(const std::string& run) const {
    std::vector<std::string> curve;
    for (Json line : TinyRun::metrics(tiny_.path(run))) {
      for (const char* timing : {"tokens_per_s", "supervised_positions_per_s", "queue_level", "queue_peak",
                                 "drafter_wait_share", "step_s"}) {
        line.erase(timing);
      }
      curve.push_back(line.dump());
    }
    return curve;
  }
  [[nodiscard]] std::string file(const std::string& run, const std::string& name) const {
    return read_text(tiny_.path(run) / "checkpoints/step-00000020" / name);
  }
  void expect_same_as_unbroken(const std::string& run) {
    EXPECT_EQ(curve(run), curve("unbroken")) << run;
    for (const char* name : {"drafter/model.safetensors", "state/optimizer.safetensors", "state/position.json"}) {
      EXPECT_TRUE(file(run, name) == file("unbroken", name)) << run << " " << name;
    }
  }

  TinyRun tiny_;
};

TEST_F(ResumeRun, TenStepsAndTenMoreAreTwenty) {
  ASSERT_EQ(train("unbroken", "").exit_code, 0);
  ASSERT_EQ(train("broken", "").exit_code, 0);
  const auto resumed = train("broken", "--resume 10 --targets 2");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  expect_same_as_unbroken("broken");
  EXPECT_TRUE(std::filesystem::exists(tiny_.path("broken") / "checkpoints/aside-step-00000020"));

  // Into a folder of its own, from the checkpoint's folder.
  const std::string folder = (tiny_.path("broken") / "checkpoints/step-00000010").string();
  const auto elsewhere = train("elsewhere", "--resume " + folder);
  ASSERT_EQ(elsewhere.exit_code, 0) << elsewhere.output;
  const std::vector<std::string> whole = curve("unbroken");
  EXPECT_EQ(curve("elsewhere"), std::vector<std::string>(whole.begin() + 10, whole.end()));
  EXPECT_TRUE(file("elsewhere", "drafter/model.safetensors") == file("unbroken", "drafter/model.safetensors"));

  const auto from_zero = train("broken", "--resume 0");
  ASSERT_EQ(from_zero.exit_code, 0) << from_zero.output;
  expect_same_as_unbroken("broken");

  const auto complete = train("broken", "--resume");
  EXPECT_EQ(complete.exit_code, 0);
  EXPECT_NE(complete.output.find("nothing to do"), std::string::npos) << complete.output;
}

TEST_F(ResumeRun, ARunThatWasStoppedTwiceGoesOnByItself) {
  const std::string more = " --drafters 2 --targets 2";
  ASSERT_EQ(train("unbroken", more).exit_code, 0);
  for (int round = 0; round < 3; ++round) {
    test::RunningJob job("dflash",
                         format("train {} {} --set run.dir={} --resume auto {}", tiny_.path("run.toml").string(),
                                kTwentySteps, tiny_.path("broken").string(), more),
                         tiny_.path("broken"), "DFLASH_STAGE_DELAYS=3:10");
    if (round < 2) {
      ASSERT_TRUE(job.reaches_step(5 + 7 * round)) << job.output();
      job.signal(SIGTERM);
    }
    EXPECT_EQ(job.wait(60s), round < 2 ? 143 : 0) << job.output();
  }
  expect_same_as_unbroken("broken");
}

TEST_F(ResumeRun, SoDoesOneWhoseRanksWereKilled) {
  ASSERT_EQ(train("unbroken", "--set checkpoint.every_steps=3").exit_code, 0);
  const std::vector<const char*> victims = {"drafter_worker", "coordinator", "target_worker", nullptr};
  for (size_t round = 0; round < victims.size(); ++round) {
    test::RunningJob job("dflash",
                         format("train {} {} --set checkpoint.every_steps=3 --set run.dir={} --resume auto",
                                tiny_.path("run.toml").string(), kTwentySteps, tiny_.path("broken").string()),
                         tiny_.path("broken"), "DFLASH_STAGE_DELAYS=5:15");
    if (victims[round] != nullptr) {
      ASSERT_TRUE(job.reaches_step(5 + 4 * static_cast<int64_t>(round))) << job.output();
      const std::vector<pid_t> pids = job.pids(victims[round]);
      ASSERT_FALSE(pids.empty()) << job.output();
      kill(pids.front(), SIGKILL);
    }
    EXPECT_EQ(job.wait(60s), victims[round] != nullptr ? 14 : 0) << job.output();
  }
  expect_same_as_unbroken("broken");
}

TEST_F(ResumeRun, ALiveRunIsLeftAlone) {
  const std::string line = format("train {} --set run.dir={} --set train.steps=100000", tiny_.path("run.toml").string(),
                                  tiny_.path("broken").string());
  test::RunningJob job("dflash", line, tiny_.path("broken"));
  ASSERT_TRUE(job.reaches_step(6)) << job.output();
  const auto second =
      tiny_.train(format("--set run.dir={} --set train.steps=100000 --resume auto", tiny_.path("broken").string()));
  EXPECT_EQ(second.exit_code, 10) << second.output;
  EXPECT_NE(second.output.find("a run is live"), std::string::npos) << second.output;
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait(30s), 143) << job.output();
}

TEST_F(ResumeRun, RefusesWhatWouldAlterTheRun) {
  ASSERT_EQ(train("broken", "").exit_code, 0);
  expect_refused("", 10, {"--resume"});  // the folder is not empty
  expect_refused("--resume 10 --set train.lr=1e-3 --set run.seed=4", 10, {"train.lr", "0.005", "run.seed"});
  expect_refused("--resume 10 --set train.steps=30", 10, {"train.steps", "30", "20"});
  expect_refused("--resume 10 --drafters 2", 10, {"2 drafters cannot share"});
  expect_refused("--resume 11", 12, {"step-00000011"});
  write_text(tiny_.path("documents.jsonl"), TinyRun::documents(161));
  expect_refused("--resume 10", 10, {"data.files", "other batches"});
  EXPECT_EQ(TinyRun::metrics(tiny_.path("broken")).size(), 20U) << "what was refused has changed the run";
}

TEST_F(ResumeRun, PassesOverADamagedCheckpoint) {
  ASSERT_EQ(train("unbroken", "").exit_code, 0);
  ASSERT_EQ(train("broken", "").exit_code, 0);
  const std::filesystem::path newest = tiny_.path("broken") / "checkpoints/step-00000020";
  std::string weights = read_text(newest / "drafter/model.safetensors");
  weights[weights.size() / 2] ^= 1;
  write_text(newest / "drafter/model.safetensors", weights);
  expect_refused("--resume 20", 12, {"step-00000020", "damaged"});
  const auto resumed = train("broken", "--resume auto");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_NE(resumed.output.find("damaged"), std::string::npos) << resumed.output;
  expect_same_as_unbroken("broken");
}

TEST_F(ResumeRun, OtherDraftersKeepTheBatchByAccumulation) {
  const std::string two = "--set train.accumulation_steps=2";
  ASSERT_EQ(train("unbroken", two).exit_code, 0);
  ASSERT_EQ(train("broken", two).exit_code, 0);
  const auto resumed = train("broken", two + " --resume 10 --drafters 2");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_NE(resumed.output.find("train.accumulation_steps is 1 now"), std::string::npos) << resumed.output;
  const std::vector<Json> ours = TinyRun::metrics(tiny_.path("broken")),
                          theirs = TinyRun::metrics(tiny_.path("unbroken"));
  ASSERT_EQ(ours.size(), 20U);
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i]["anchor_coverage"], theirs[i]["anchor_coverage"]) << i;
    EXPECT_NEAR(ours[i]["loss"].get<double>(), theirs[i]["loss"].get<double>(), 1e-4 * theirs[i]["loss"].get<double>());
  }
}

}  // namespace
}  // namespace dflash
