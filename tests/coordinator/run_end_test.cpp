// What an error makes of a run; how one ends in order stands in coordinator_loop_test and coordinator_stop_test.
#include "coordinator/run_end.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

TEST(RunEnd, AFailureTellsWhoWhereAndAtWhichBatch) {
  const Verdict verdict = verdict_of(
      RunFailure(ErrorKind::peer_died, "target 1 (rank 2) died", "target 1 (rank 2)", "forward", 17), nullptr);
  EXPECT_EQ(verdict.outcome, "failed");
  EXPECT_EQ(verdict.exit_code, 14);
  EXPECT_EQ(verdict.message, "target 1 (rank 2) died");
  EXPECT_EQ(verdict.who, "target 1 (rank 2)");
  EXPECT_EQ(verdict.stage, "forward");
  EXPECT_EQ(verdict.batch, 17);
  EXPECT_EQ(verdict.step, -1) << "nothing was trained: what the folder holds is not known here";
  EXPECT_EQ(verdict.checkpoint, "");
}

TEST(RunEnd, AnErrorOfOurOwnKeepsItsKind) {
  const Verdict verdict = verdict_of(Error(ErrorKind::no_space, "the disk is full"), nullptr);
  EXPECT_EQ(verdict.outcome, "failed");
  EXPECT_EQ(verdict.exit_code, 13);
  EXPECT_EQ(verdict.message, "the disk is full");
  EXPECT_EQ(verdict.who, "");
  EXPECT_EQ(verdict.batch, -1);
}

TEST(RunEnd, AnyOtherExceptionIsInternal) {
  const Verdict verdict = verdict_of(std::runtime_error("map::at"), nullptr);
  EXPECT_EQ(verdict.outcome, "failed");
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.message, "map::at");
}

TEST(RunEnd, ASignalBeforeTheFirstStepStopsIt) {
  const Verdict verdict = verdict_of(Error(ErrorKind::stopped, "a signal"), nullptr);
  EXPECT_EQ(verdict.outcome, "stopped");
  EXPECT_EQ(verdict.exit_code, 144);
}

TEST(RunEnd, WhatHappenedToARunMakesItsFolder) {
  for (const ErrorKind kind : {ErrorKind::peer_died, ErrorKind::stall, ErrorKind::stopped}) {
    const TempFolder temp;
    leave_verdict(temp.path() / "a/run", {.outcome = "failed", .exit_code = exit_code(kind)});
    EXPECT_EQ(read_verdict(temp.path() / "a/run").value().exit_code, exit_code(kind));
  }
}

TEST(RunEnd, WhatWasRefusedMakesNoFolder) {
  for (const ErrorKind kind : {ErrorKind::config, ErrorKind::input_file, ErrorKind::internal}) {
    const TempFolder temp;
    leave_verdict(temp.path() / "run", {.outcome = "failed", .exit_code = exit_code(kind)});
    EXPECT_FALSE(fs::exists(temp.path() / "run"));
    fs::create_directory(temp.path() / "run");
    leave_verdict(temp.path() / "run", {.outcome = "failed", .exit_code = exit_code(kind)});
    EXPECT_EQ(read_verdict(temp.path() / "run").value().exit_code, exit_code(kind)) << "one that is there is used";
  }
}

TEST(RunEnd, AVerdictThatCannotBeWrittenEndsNothing) {
  const TempFolder temp;
  write_text(temp.path() / "file", "x");
  leave_verdict(temp.path() / "file/run", {.outcome = "failed", .exit_code = 14});
  leave_verdict(temp.path() / "file", {.outcome = "failed", .exit_code = 14});
  EXPECT_EQ(read_text(temp.path() / "file"), "x");
}

}  // namespace
}  // namespace dflash
