#include "common/plan/recorded_run.h"

#include <gtest/gtest.h>

#include "tests/plan/recorded_runs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

RecordedRun read(const RecordedRuns& runs, int64_t step) {
  return read_recorded_run(runs.store().final_folder(step), runs.store().verify(step));
}

TEST(RecordedRun, IsWhatTheCoordinatorWrote) {
  const RecordedRuns runs;
  runs.make(5);
  const RecordedRun run = read(runs, 5);
  EXPECT_EQ(run.config.train().lr(), 1e-3);
  EXPECT_EQ(run.config.target().threads(), 3);
  EXPECT_EQ(run.drafters, 2);
  EXPECT_EQ(run.step_batches(), 4);
  EXPECT_EQ(run.total_steps, 8);
  EXPECT_EQ(run.data_hash, "00000000000000da");
  EXPECT_EQ(run.layout_hash, "000000000000001a");
}

void expect_refused(const RecordedRuns& runs, int64_t step, const std::string& complaint) {
  expect_error(ErrorKind::checkpoint, complaint, [&] { (void)read(runs, step); });
}

TEST(RecordedRun, BothFilesMustBeVouchedFor) {
  const RecordedRuns runs;
  runs.make(1, 4, {});
  write_text(runs.store().final_folder(1) / kRecordedSettingsPath, runs.settings);
  expect_refused(runs, 1, "step-00000001: holds no state/run.toml");
  runs.make(2, 8, {{kRecordedSettingsPath, runs.settings}});
  expect_refused(runs, 2, "holds no state/run.json");
}

TEST(RecordedRun, DistrustsTheSettings) {
  RecordedRuns runs;
  runs.settings = "[run]\nno_such_key = 1\n";
  runs.make(1);
  expect_refused(runs, 1, "step-00000001/state/run.toml:2");
}

TEST(RecordedRun, DistrustsTheFacts) {
  RecordedRuns runs;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{", "not JSON"},
      {"[]", "no JSON object"},
      {R"({"total_steps": 8})", "'drafters'"},
      {R"({"drafters": 0})", "'drafters'"},
      {R"({"drafters": 1e3})", "'drafters'"},
      {R"({"drafters": 18446744073709551615})", "'drafters'"},
      {R"({"drafters": 2, "total_steps": "8"})", "'total_steps'"},
      {R"({"drafters": 2, "total_steps": 8, "data_hash": 7})", "'data_hash'"},
      {R"({"drafters": 2, "total_steps": 8, "data_hash": "da"})", "'layout_hash'"},
      {R"({"drafters": 2, "total_steps": 3, "data_hash": "", "layout_hash": ""})", "of a run of 3 steps"}};
  int64_t step = 4;
  for (const auto& [facts, complaint] : cases) {
    runs.facts = facts;
    runs.make(step);
    expect_refused(runs, step, complaint);
    ++step;
  }
}

TEST(RecordedRun, ThePositionMustBeThatOfItsStep) {
  const RecordedRuns runs;
  const std::vector<int64_t> positions = {7, 9, -8, 0, int64_t{1} << 62};
  for (const int64_t next : positions) {
    runs.make(2, next);
    expect_refused(runs, 2, "which is not that of step 2 with 4 batches a step");
    std::filesystem::remove_all(runs.store().final_folder(2));
  }
}

}  // namespace
}  // namespace dflash
