// How a run ends when a worker fails: within seconds, with the worker's exit code, whether the coordinator listens or
// not.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

namespace dflash {
namespace {

struct Ending {
  int exit_code = -1;
  std::string output;
  std::chrono::steady_clock::duration took{};
};

Ending run(const std::string& how) {
  const std::string command = std::string(DFLASH_MPIRUN) + " -n 3 " + DFLASH_FAILING_RUN + " " + how + " 2>&1";
  const auto begin = std::chrono::steady_clock::now();
  FILE* const pipe = popen(command.c_str(), "r");
  Ending ending;
  std::array<char, 4096> line{};
  while (fgets(line.data(), line.size(), pipe) != nullptr) ending.output += line.data();
  const int status = pclose(pipe);
  ending.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ending.took = std::chrono::steady_clock::now() - begin;
  return ending;
}

TEST(ReportFailure, TheCoordinatorHearsItAndEndsTheJob) {
  const Ending ending = run("told");
  EXPECT_EQ(ending.exit_code, 16) << ending.output;
  EXPECT_NE(ending.output.find("the coordinator heard: drafter 0 (rank 2"), std::string::npos) << ending.output;
  EXPECT_NE(ending.output.find("the loss is NaN"), std::string::npos) << ending.output;
}

TEST(ReportFailure, TheWorkerEndsTheJobWhenNobodyElseDoes) {
  const Ending ending = run("untold");
  EXPECT_EQ(ending.exit_code, 16) << ending.output;
  EXPECT_LT(ending.took, std::chrono::seconds(20)) << "it waited for ranks that sleep for a minute";
}

}  // namespace
}  // namespace dflash
