#include "common/base/verdict.h"

#include <gtest/gtest.h>

#include "common/base/json.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

Verdict example() {
  return {.outcome = "failed",
          .exit_code = 14,
          .message = "target 1 (rank 2) died",
          .who = "target 1 (rank 2)",
          .stage = "forward",
          .batch = 17,
          .step = 4,
          .checkpoint = "checkpoints/step-00000004"};
}

void expect_equal(const Verdict& read, const Verdict& written) {
  EXPECT_EQ(read.outcome, written.outcome);
  EXPECT_EQ(read.exit_code, written.exit_code);
  EXPECT_EQ(read.message, written.message);
  EXPECT_EQ(read.who, written.who);
  EXPECT_EQ(read.stage, written.stage);
  EXPECT_EQ(read.batch, written.batch);
  EXPECT_EQ(read.step, written.step);
  EXPECT_EQ(read.checkpoint, written.checkpoint);
}

TEST(Verdict, IsReadAsItWasWritten) {
  const TempFolder run;
  for (const Verdict& written : {example(), Verdict{.outcome = "done", .message = "all 4 steps are done", .step = 4}}) {
    write_verdict(run.path(), written);
    const std::optional<Verdict> read = read_verdict(run.path());
    ASSERT_TRUE(read);
    expect_equal(*read, written);
  }
}

TEST(Verdict, WhatIsNotKnownIsNull) {
  const TempFolder run;
  write_verdict(run.path(), {.outcome = "done", .message = "m", .step = 4});
  EXPECT_EQ(Json::parse(read_text(run.path() / kVerdictName)),
            Json::parse(R"({"outcome": "done", "exit_code": 0, "message": "m", "who": null, "stage": null,
                            "batch": null, "step": 4, "checkpoint": null})"));
}

TEST(Verdict, AMessageMayHoldAnyBytes) {
  const TempFolder run;
  Verdict verdict = example();
  verdict.message = "\"quoted\"\n\\ \x01 and \xff\xfe no UTF-8";
  write_verdict(run.path(), verdict);
  const std::optional<Verdict> read = read_verdict(run.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->message, "\"quoted\"\n\\ \x01 and \xef\xbf\xbd\xef\xbf\xbd no UTF-8");
  EXPECT_EQ(read->exit_code, 14);
}

TEST(Verdict, HostileFilesAreNoneOrHarmless) {
  const TempFolder run;
  EXPECT_FALSE(read_verdict(run.path()));
  for (const char* text : {"", "{", "[]", "7", "null", "\xff\xff", "{\"exit_code\": 1}}"}) {
    write_text(run.path() / kVerdictName, text);
    EXPECT_FALSE(read_verdict(run.path())) << text;
  }
  write_text(run.path() / kVerdictName, R"({"outcome": 3, "exit_code": "0", "batch": [], "who": {}, "step": 1.5})");
  const std::optional<Verdict> read = read_verdict(run.path());
  ASSERT_TRUE(read);
  expect_equal(*read, {.outcome = "", .exit_code = 1});
  fs::remove(run.path() / kVerdictName);
  fs::create_directory(run.path() / kVerdictName);
  EXPECT_FALSE(read_verdict(run.path()));
}

TEST(Verdict, TheFirstOneStays) {
  const TempFolder run;
  write_verdict_if_none(run.path(), example());
  write_verdict_if_none(run.path(), {.outcome = "done"});
  EXPECT_EQ(read_verdict(run.path()).value().outcome, "failed");
  write_verdict(run.path(), {.outcome = "done"});
  EXPECT_EQ(read_verdict(run.path()).value().outcome, "done");
}

TEST(Verdict, WithoutAFolderOneThatLeavesSaysNothing) {
  const TempFolder temp;
  write_verdict_if_none(temp.path() / "run", example());
  EXPECT_FALSE(fs::exists(temp.path() / "run"));
  write_verdict_if_none("", example());
  write_verdict(temp.path() / "run", example());
  EXPECT_TRUE(read_verdict(temp.path() / "run")) << "who decides how a run ended makes the folder";
  write_text(temp.path() / "file", "");
  expect_error(ErrorKind::checkpoint, "file", [&] { write_verdict(temp.path() / "file", example()); });
}

TEST(Verdict, IsRemovedAtTheStartOfARun) {
  const TempFolder run;
  remove_verdict(run.path());
  remove_verdict(run.path() / "not there");
  write_verdict(run.path(), example());
  write_text(run.path() / "other", "kept");
  remove_verdict(run.path());
  EXPECT_FALSE(fs::exists(run.path() / kVerdictName));
  EXPECT_TRUE(fs::exists(run.path() / "other"));
}

}  // namespace
}  // namespace dflash
