#include "coordinator/run_recorder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "common/plan/recorded_run.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

TEST(RunRecorder, MakesTheFolderOfARun) {
  const TempFolder temp;
  const fs::path folder = temp.path() / "a/run";
  const RunRecorder recorder(folder, "[run]\nseed = 3\n", {{"targets", 2}});
  EXPECT_EQ(read_text(folder / "run.toml"), "[run]\nseed = 3\n");
  EXPECT_EQ(Json::parse(read_text(folder / "run.json")), Json({{"targets", 2}}));
  EXPECT_EQ(read_text(folder / "metrics.jsonl"), "");
  EXPECT_TRUE(fs::is_directory(folder / "logs") && fs::is_directory(folder / "checkpoints"));
}

TEST(RunRecorder, EveryStepIsOnTheDiskAtOnce) {
  const TempFolder temp;
  RunRecorder recorder(temp.path() / "run", "", {});
  std::string expected;
  for (int64_t step = 1; step <= 3; ++step) {
    StepMetrics metrics;
    metrics.step = step;
    metrics.loss = 1.0 / static_cast<double>(step);
    recorder.record(metrics);
    expected += metrics_line(metrics) + "\n";
    EXPECT_EQ(read_text(temp.path() / "run/metrics.jsonl"), expected);
  }
}

TEST(RunRecorder, AnEmptyFolderWillDo) {
  const TempFolder temp;
  fs::create_directory(temp.path() / "empty");
  EXPECT_NO_THROW(RunRecorder(temp.path() / "empty", "", {}));
}

TEST(RunRecorder, TheMetricsOfAResumedRunAreContinued) {
  const TempFolder temp;
  StepMetrics metrics;
  metrics.step = 1;
  RunRecorder(temp.path(), "[run]\nseed = 3\n", {{"targets", 1}}).record(metrics);
  const std::string first = metrics_line(metrics) + "\n";
  metrics.step = 2;
  RunRecorder(temp.path(), "[run]\nseed = 3\n", {{"targets", 2}}).record(metrics);
  EXPECT_EQ(read_text(temp.path() / "metrics.jsonl"), first + metrics_line(metrics) + "\n");
  EXPECT_EQ(Json::parse(read_text(temp.path() / "run.json")), Json({{"targets", 2}}));
}

TEST(RunRecorder, EveryCheckpointHoldsWhatTheFolderSays) {
  const TempFolder temp;
  const RunRecorder recorder(temp.path(), "[run]\nseed = 3\n", {{"targets", 2}});
  const auto& facts = recorder.checkpoint_facts();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts.at(kRecordedSettingsPath), read_text(temp.path() / "run.toml"));
  EXPECT_EQ(facts.at(kRecordedFactsPath), read_text(temp.path() / "run.json"));
}

TEST(RunRecorder, AFolderThatCannotBeMadeIsNamed) {
  const TempFolder temp;
  write_text(temp.path() / "file", "x");
  expect_error(ErrorKind::checkpoint, "file/run", [&] { RunRecorder(temp.path() / "file/run", "", {}); });
}

/// While it lives no file may grow beyond `bytes`: writes fail, without a signal.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(RunRecorder, ALineThatCannotBeWrittenIsAnError) {
  const TempFolder temp;
  RunRecorder recorder(temp.path() / "run", "", {});
  const FileSizeLimit limit(10);
  expect_error(ErrorKind::checkpoint, "metrics.jsonl", [&] { recorder.record({}); });
}

}  // namespace
}  // namespace dflash
