#include "common/plan/resume_plan.h"

#include <gtest/gtest.h>

#include "tests/plan/recorded_runs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class ResumePlanTest : public testing::Test {
 protected:
  ResumePlan plan(const std::string& resume, const std::vector<std::string>& overrides = {}) {
    config_ = runs_.load(overrides);
    return plan_resume(resume, config_, 2);
  }
  void refuse(ErrorKind kind, const std::string& resume, const std::vector<std::string>& words,
              const std::vector<std::string>& overrides = {}) {
    const Error error = error_of([&] { (void)plan(resume, overrides); });
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_TRUE(says(error, words));
  }
  [[nodiscard]] std::string folder(int64_t step) const { return runs_.store().final_folder(step).string(); }

  RecordedRuns runs_;
  RunConfig config_;
};

TEST_F(ResumePlanTest, WithoutResumeTheFolderMustBeNew) {
  EXPECT_FALSE(plan("").point);
  runs_.make(0);
  refuse(ErrorKind::config, "", {"exists and is not empty", "--resume"});
}

TEST_F(ResumePlanTest, AutoBeginsWhereNoCheckpointIs) {
  for (const char* left : {"", "run/", "run/checkpoints/.step-00000000.tmp/state/"}) {
    if (*left != '\0') fs::create_directories(runs_.path(left));
    const ResumePlan resume = plan("auto");
    EXPECT_FALSE(resume.point) << left;
    ASSERT_EQ(resume.notices.size(), 1u);
    EXPECT_NE(resume.notices[0].find("holds no checkpoint, the run begins"), std::string::npos);
  }
}

TEST_F(ResumePlanTest, AutoTakesNoFolderThatIsNoRuns) {
  write_text(runs_.run_dir() / "thesis.tex", "x");
  refuse(ErrorKind::config, "auto", {"not empty, but holds no run"});
}

TEST_F(ResumePlanTest, AutoTakesTheNewestWhole) {
  for (const int64_t step : {0, 3, 6}) runs_.make(step);
  const ResumePlan resume = plan("auto");
  ASSERT_TRUE(resume.point);
  EXPECT_EQ(resume.point->folder, folder(6));
  EXPECT_EQ(resume.point->step, 6);
  EXPECT_EQ(resume.point->next_sequence, 24);
  EXPECT_EQ(resume.point->total_steps, 8);
  EXPECT_TRUE(resume.notices.empty());
  EXPECT_EQ(config_.target().threads(), 3);
  runs_.damage(6);
  const ResumePlan older = plan("auto");
  EXPECT_EQ(older.point->step, 3);
  ASSERT_EQ(older.notices.size(), 1u);
  EXPECT_TRUE(older.notices[0].starts_with("passed over: " + folder(6) + "/state/moments: damaged"))
      << older.notices[0];
}

TEST_F(ResumePlanTest, AutoNamesEveryReasonWhenNoneIsWhole) {
  for (const int64_t step : {0, 3}) runs_.make(step);
  runs_.damage(0);
  fs::remove(folder(3) + "/MANIFEST.json");
  refuse(ErrorKind::checkpoint, "auto", {folder(0) + "/state/moments: damaged", folder(3) + "/MANIFEST.json"});
}

TEST_F(ResumePlanTest, AStepOrAFolderNamesTheCheckpoint) {
  for (const int64_t step : {0, 3, 6}) runs_.make(step);
  EXPECT_EQ(plan("3").point->folder, folder(3));
  EXPECT_EQ(plan(folder(3)).point->step, 3);
  EXPECT_EQ(plan(folder(3) + "/").point->folder, folder(3));
  fs::create_directory_symlink(runs_.run_dir(), runs_.path("link"));
  EXPECT_EQ(plan(runs_.path("link/checkpoints/step-00000003").string()).point->step, 3);
  refuse(ErrorKind::checkpoint, "4", {folder(4) + "/MANIFEST.json"});
  refuse(ErrorKind::checkpoint, runs_.path("nowhere").string(), {"nowhere/MANIFEST.json"});
  refuse(ErrorKind::config, "3", {"run.seed = 1 was 0"}, {"run.seed=1"});
  runs_.damage(3);
  refuse(ErrorKind::checkpoint, "3", {"state/moments: damaged"});
  fs::rename(folder(6), folder(5));
  refuse(ErrorKind::checkpoint, "5", {"its manifest is of step 6"});
}

TEST_F(ResumePlanTest, AnotherRunsCheckpointNeedsANewFolder) {
  for (const int64_t step : {0, 3}) runs_.make(step);
  EXPECT_EQ(plan(folder(3), {"run.dir=" + runs_.path("other").string()}).point->step, 3);
  write_text(runs_.path("other/checkpoints/notes"), "x");
  refuse(ErrorKind::config, folder(3), {"no checkpoint of the run in", "new or empty"},
         {"run.dir=" + runs_.path("other").string()});
  fs::rename(folder(3), runs_.run_dir() / "checkpoints/mine");
  refuse(ErrorKind::config, (runs_.run_dir() / "checkpoints/mine").string(), {"no checkpoint of the run in"});
}

TEST_F(ResumePlanTest, ACompleteRunIsSaidToBe) {
  runs_.make(8);
  const ResumePlan resume = plan("auto");
  EXPECT_EQ(resume.point->step, resume.point->total_steps);
  ASSERT_EQ(resume.notices.size(), 1u);
  EXPECT_TRUE(resume.notices[0].starts_with("the run is complete"));
}

TEST_F(ResumePlanTest, OtherFactsAreRefused) {
  runs_.make(3);
  const ResumePoint point = *plan("auto").point;
  EXPECT_NO_THROW(check_resumed_facts(point, 0xda, 0x1a, 8));
  const auto refuse_facts = [&](uint64_t data, uint64_t layout, int64_t steps, const std::string& complaint) {
    expect_error(ErrorKind::config, complaint, [&] { check_resumed_facts(point, data, layout, steps); });
  };
  refuse_facts(0xdb, 0x1a, 8, "data.files or data.recorded hold other batches");
  refuse_facts(0xda, 0x1b, 8, "target.model is another");
  refuse_facts(0xda, 0x1a, 9, "train.epochs gives 9 steps, but 8");
}

/// Every path below a folder, with the content of files.
std::map<std::string, std::string> snapshot(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    found[entry.path().string()] = entry.is_regular_file() ? read_text(entry.path()) : "folder";
  }
  return found;
}

TEST_F(ResumePlanTest, ThePlanChangesNothingThePreparationBringsTheFolderBack) {
  for (const int64_t step : {0, 3, 6}) runs_.make(step);
  (void)runs_.store().make_staging(8);
  write_text(runs_.run_dir() / "verdict.json.12.tmp", "{");
  const std::string three = "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n";
  write_text(runs_.run_dir() / "metrics.jsonl", three + "{\"step\":4}\n{\"ste");
  const auto before = snapshot(runs_.run_dir());
  const ResumePlan resume = plan("3");
  EXPECT_EQ(snapshot(runs_.run_dir()), before);
  const auto lines = prepare_run_folder(resume, runs_.run_dir());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("aside-step-00000006"), std::string::npos);
  EXPECT_EQ(read_text(runs_.run_dir() / "metrics.jsonl"), three);
  EXPECT_EQ(runs_.store().committed_steps(), (std::vector<int64_t>{0, 3}));
  EXPECT_TRUE(fs::exists(runs_.run_dir() / "checkpoints/aside-step-00000006/state/moments"));
  EXPECT_FALSE(fs::exists(runs_.store().staging_folder(8)) || fs::exists(runs_.run_dir() / "verdict.json.12.tmp"));
  const auto after = snapshot(runs_.run_dir());
  EXPECT_TRUE(prepare_run_folder(resume, runs_.run_dir()).empty());
  EXPECT_EQ(snapshot(runs_.run_dir()), after);
  EXPECT_EQ(plan("auto").point->step, 3);
}

TEST_F(ResumePlanTest, PreparingForTheBeginningForgetsEveryStep) {
  write_text(runs_.run_dir() / "metrics.jsonl", "{\"step\":1}\n");
  (void)runs_.store().make_staging(0);
  EXPECT_TRUE(prepare_run_folder(plan("auto"), runs_.run_dir()).empty());
  EXPECT_EQ(read_text(runs_.run_dir() / "metrics.jsonl"), "");
  EXPECT_TRUE(fs::is_empty(runs_.run_dir() / "checkpoints"));
  EXPECT_TRUE(prepare_run_folder({}, runs_.path("missing")).empty());
}

}  // namespace
}  // namespace dflash
