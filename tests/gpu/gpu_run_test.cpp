// tests/gpu/run itself, on a small list of stand-ins (shell scripts) for the tests it would run.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPasses = "echo \"on $DFLASH_GPU\"; echo '[  PASSED  ] 3 tests.'";

class GpuRunTest : public testing::Test {
 protected:
  GpuRunTest() {
    write_test("gpu_here", "echo no driver; exit 1");
    for (const char* name : {"one_test", "two_test", "three_test", "four_test", "five_test"}) write_test(name, kPasses);
    write_list("device one_test\nchannel two_test\nnccl three_test\npipeline four_test\nparity five_test\n");
  }
  void write_list(const std::string& text) const { write_text(folder_.path() / "tests/gpu_tests.txt", text); }
  void write_test(const std::string& name, const std::string& script) const {
    write_text(folder_.path() / "tests" / name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(folder_.path() / "tests" / name, fs::perms::owner_all);
  }
  [[nodiscard]] test::ProgramResult run(const std::string& arguments) const {
    return test::run_program((test::source_dir() / "tests/gpu/run").string() + " --build " + folder_.path().string() +
                             " " + arguments);
  }
  static void expect_row(const test::ProgramResult& result, const std::string& test_name, const std::string& verdict) {
    const std::regex row("\n[a-z]+ +" + test_name + " +" + verdict + " +([0-9]+|-)\n");
    EXPECT_TRUE(std::regex_search(result.output, row)) << test_name << " " << verdict << " in\n" << result.output;
  }

  TempFolder folder_;
};

TEST_F(GpuRunTest, ARehearsalRunsTheListAndPrintsATable) {
  const test::ProgramResult result = run("--rehearse");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(result.output.starts_with("group     test ")) << result.output;
  for (const char* name : {"one_test", "two_test", "three_test", "four_test", "five_test"}) {
    expect_row(result, name, "passed");
    EXPECT_TRUE(read_text(folder_.path() / "tests/gpu_logs" / (std::string(name) + ".log")).starts_with("on rehearse"));
  }
}

TEST_F(GpuRunTest, ATestThatFailsIsShownAndFailsTheRun) {
  write_test("three_test", "echo what went wrong; exit 1");
  const test::ProgramResult result = run("--rehearse");
  EXPECT_EQ(result.exit_code, 1);
  expect_row(result, "three_test", "failed");
  expect_row(result, "five_test", "passed");
  EXPECT_NE(result.output.find("    what went wrong"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("1 of the rows above did not pass"), std::string::npos) << result.output;
}

TEST_F(GpuRunTest, ATestThatLooksAtNothingHasNotPassed) {
  write_test("two_test", "echo '[  PASSED  ] 0 tests.'");
  const test::ProgramResult result = run("--rehearse");
  EXPECT_EQ(result.exit_code, 1);
  expect_row(result, "two_test", "failed");
}

TEST_F(GpuRunTest, WhatWasNotBuiltIsMissing) {
  fs::remove(folder_.path() / "tests/four_test");
  const test::ProgramResult result = run("--rehearse");
  EXPECT_EQ(result.exit_code, 1);
  expect_row(result, "four_test", "missing");
  write_list("device one_test\nchannel two_test\nnccl three_test\npipeline four_test\n");
  expect_row(run("--rehearse"), "\\(none was built\\)", "missing");
}

TEST_F(GpuRunTest, AllOfThemTogetherHaveALimit) {
  write_test("one_test", "sleep 20");
  const test::ProgramResult result = run("--rehearse --limit 1");
  EXPECT_EQ(result.exit_code, 1);
  expect_row(result, "one_test", "timeout");
  expect_row(result, "five_test", "skipped");
}

TEST_F(GpuRunTest, WithoutAGpuOnlyARehearsalRuns) {
  const test::ProgramResult result = run("");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "gpu/run: no GPU can be used here: no driver; --rehearse needs none\n");
  write_test("gpu_here", "echo '1 GPU(s)'");
  const test::ProgramResult with_gpu = run("");
  EXPECT_EQ(with_gpu.exit_code, 0) << with_gpu.output;
  EXPECT_TRUE(read_text(folder_.path() / "tests/gpu_logs/one_test.log").starts_with("on require"));
}

TEST_F(GpuRunTest, WithoutABuildItSaysWhatToDo) {
  const test::ProgramResult result =
      test::run_program((test::source_dir() / "tests/gpu/run").string() + " --build /nowhere --rehearse");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("configure and build first"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace dflash
