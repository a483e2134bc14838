#include "common/plan/resume_settings.h"

#include <gtest/gtest.h>

#include "tests/plan/recorded_runs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

class ResumeSettingsTest : public testing::Test {
 protected:
  /// Recorded: 2 drafters x 2 accumulation steps, 3 and 4 threads.
  ResumeSettingsTest() {
    recorded_.config = runs_.load({"target.threads=3", "drafter.threads=4"});
    recorded_.drafters = 2;
  }
  std::vector<std::string> take_over(int drafters, const std::vector<std::string>& overrides = {}) {
    config_ = runs_.load(overrides);
    return take_over_settings(recorded_, config_, drafters);
  }
  void refuse(int drafters, const std::vector<std::string>& overrides, const std::vector<std::string>& words) {
    const Error error = error_of([&] { (void)take_over(drafters, overrides); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, words));
  }

  RecordedRuns runs_;
  RecordedRun recorded_;
  RunConfig config_;
};

TEST_F(ResumeSettingsTest, EqualSettingsTakeOverTheThreads) {
  EXPECT_TRUE(take_over(2).empty());
  EXPECT_EQ(config_.target().threads(), 3);
  EXPECT_EQ(config_.drafter().threads(), 4);
  EXPECT_EQ(config_.train().accumulation_steps(), 2);
}

TEST_F(ResumeSettingsTest, ThreadsGivenByHandWinWithANotice) {
  const auto notices = take_over(2, {"target.threads=3", "drafter.threads=1"});
  EXPECT_EQ(config_.drafter().threads(), 1);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0], "drafter.threads = 1 was 4: the last bits may differ from those of an unbroken run");
}

TEST_F(ResumeSettingsTest, EveryChangeIsNamedWithBothValues) {
  refuse(2, {"train.lr=0.0006", "run.seed=5", "run.dir=elsewhere"},
         {"run.seed = 5 was 0, train.lr = 0.0006 was 0.001: ", "would alter the run", "set them back", "new run"});
  refuse(2, {"train.accumulation_steps=3"}, {"train.accumulation_steps = 3 was 2: ", "set it back"});
}

TEST_F(ResumeSettingsTest, AnotherNumberOfDraftersKeepsTheBatchesOfAStep) {
  for (const auto& [drafters, accumulation] : {std::pair<int, int>{1, 4}, {4, 1}}) {
    const auto notices = take_over(drafters);
    EXPECT_EQ(config_.train().accumulation_steps(), accumulation);
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_NE(notices[0].find(
                  format("{} drafter(s) instead of 2: train.accumulation_steps is {} now", drafters, accumulation)),
              std::string::npos)
        << notices[0];
  }
  EXPECT_EQ(take_over(1, {"train.accumulation_steps=4"}).size(), 1u);
  EXPECT_EQ(config_.train().accumulation_steps(), 4);
  refuse(1, {"train.accumulation_steps=1"}, {"train.accumulation_steps = 1 was 2"});
}

TEST_F(ResumeSettingsTest, DraftersThatDoNotDivideAreRefusedInWords) {
  refuse(3, {}, {"3 drafters cannot share the 4 batches of a step evenly", "resume with 1, 2 or 4 drafter(s)"});
  refuse(8, {}, {"8 drafters", "1, 2 or 4"});
  recorded_.drafters = 1;
  recorded_.config.mutable_train()->set_accumulation_steps(1);
  refuse(2, {"train.accumulation_steps=1"}, {"share the 1 batches", "resume with 1 drafter(s)"});
}

}  // namespace
}  // namespace dflash
