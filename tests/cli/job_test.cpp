// Jobs whose "mpirun" is a shell line: how they end, and what is said of it.
#include "deploy/cli/job.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "common/base/verdict.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* kDone = R"({"outcome":"done","exit_code":0,"message":"m","step":3})";

void say_into(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(descriptor, STDERR_FILENO);
}

class JobTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return run_.path() / name; }

  /// Starts a process that runs the job: what it does to signals and orphans must not reach the test.
  [[nodiscard]] pid_t start(const std::string& script) const {
    const std::string text = "cd '" + run_.path().string() + "'; " + script;
    const pid_t child = fork();
    if (child != 0) return child;
    say_into(path("said"));
    _exit(run_job({"sh", "-c", text}, run_.path()));
  }
  static int wait_for(pid_t job) {
    int status = 0;
    EXPECT_EQ(waitpid(job, &status, 0), job);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] int run(const std::string& script) const { return wait_for(start(script)); }
  [[nodiscard]] std::string said() const { return read_text(path("said")); }
  [[nodiscard]] Verdict verdict() const { return read_verdict(run_.path()).value_or(Verdict{.outcome = "none"}); }

  void await(const std::string& name) const {
    const auto begin = Clock::now();
    while (!std::filesystem::exists(path(name)) && Clock::now() - begin < 20s) std::this_thread::sleep_for(5ms);
    ASSERT_TRUE(std::filesystem::exists(path(name))) << name;
  }
  /// The process whose number stands in this file is gone.
  [[nodiscard]] bool gone(const std::string& name) const {
    return kill(std::stoi(read_text(path(name))), 0) != 0 && errno == ESRCH;
  }

  TempFolder run_;
};

TEST_F(JobTest, WithoutAVerdictTheExitCodeOfMpirunCounts) {
  EXPECT_EQ(run("exit 13"), 13);
  EXPECT_EQ(verdict().outcome, "none") << "it was refused before it was a run: the folder may be somebody else's";
  EXPECT_EQ(said(), "") << "a rank has said why";
}

TEST_F(JobTest, WhatTheVerdictSaysIsPrintedWhenTheRunFailed) {
  EXPECT_EQ(run(R"(echo '{"outcome":"failed","exit_code":16,"message":"no number"}' > verdict.json; exit 1)"), 16);
  EXPECT_EQ(said(), "dflash: no number\n");
}

TEST_F(JobTest, RanksThatOneOfThemLeftAreEnded) {
  const auto begin = Clock::now();
  EXPECT_EQ(run("sleep 60 & echo $! > rank; (exec sleep 0.2) & wait"), 14);
  EXPECT_LT(Clock::now() - begin, 20s);
  EXPECT_EQ(verdict().stage, "start");
  EXPECT_TRUE(verdict().who.starts_with("sleep (process ")) << verdict().who;
  EXPECT_NE(verdict().message.find("died, and the others did not leave"), std::string::npos) << verdict().message;
  EXPECT_TRUE(gone("rank"));
}

TEST_F(JobTest, ASignalBeforeTheRunBeganEndsItAtOnce) {
  write_text(path("run.json"), "{}");  // of the run that is resumed
  const pid_t job = start("trap 'touch got' USR1; sleep 60 & echo $! > rank; touch ready; wait");
  await("ready");
  kill(job, SIGTERM);
  EXPECT_EQ(wait_for(job), 144);
  EXPECT_EQ(verdict().outcome, "stopped");
  EXPECT_NE(verdict().message.find("before its first step"), std::string::npos) << verdict().message;
  EXPECT_FALSE(std::filesystem::exists(path("got")));
  EXPECT_TRUE(gone("rank"));
}

TEST_F(JobTest, TheVerdictCountsMoreThanTheExitCode) {
  EXPECT_EQ(run("echo '" + std::string(kDone) + "' > verdict.json; exit 77"), 0);
  EXPECT_EQ(verdict().outcome, "done");
  EXPECT_EQ(verdict().step, 3);
}

TEST_F(JobTest, AnOlderVerdictIsNotBelieved) {
  write_text(path(kVerdictName), kDone);
  EXPECT_EQ(run("test ! -e verdict.json || exit 1; exit 15"), 15);
  EXPECT_EQ(verdict().outcome, "none");
}

TEST_F(JobTest, AKilledRankIsAPeerThatDied) {
  EXPECT_EQ(run("exit 137"), 14);
  EXPECT_EQ(verdict().exit_code, 14);
  for (const char* part : {"a rank was killed by signal 9", "out of memory?", "the logs of the run's folder"}) {
    EXPECT_NE(verdict().message.find(part), std::string::npos) << part << " in " << verdict().message;
  }
  EXPECT_EQ(said(), "dflash: " + verdict().message + "\n");
}

TEST_F(JobTest, AKilledMpirunIsNamed) {
  EXPECT_EQ(run("kill -KILL $$"), 14);
  EXPECT_EQ(verdict().exit_code, 14);
  EXPECT_NE(verdict().message.find("mpirun was killed by signal 9"), std::string::npos) << verdict().message;
}

TEST_F(JobTest, RanksOfAKilledMpirunDoNotOutliveIt) {
  EXPECT_EQ(run("sleep 60 & echo $! > rank; kill -KILL $$"), 14);
  EXPECT_TRUE(gone("rank"));
}

TEST_F(JobTest, AMpirunThatLingersWithoutRanksIsEnded) {
  const auto begin = Clock::now();
  // It has a rank for a moment, and then nothing but builtins: it waits for a line that nobody writes.
  EXPECT_EQ(run("mkfifo nothing; sleep 0.3; echo '" + std::string(kDone) + "' > verdict.json; read line < nothing"), 0);
  EXPECT_LT(Clock::now() - begin, 20s) << "it would have waited for ever";
  EXPECT_EQ(verdict().outcome, "done");
}

TEST_F(JobTest, TheExitCodeOfARankIsKeptWhenItsMpirunLingers) {
  // As a refused run: its ranks leave with its code and without a verdict, and mpirun waits for no one of them.
  EXPECT_EQ(run("mkfifo nothing; (sleep 0.3; exit 11) & read line < nothing"), 11);
  EXPECT_EQ(verdict().outcome, "none");
}

TEST_F(JobTest, AMpirunThatObeysNoSignalIsKilled) {
  const auto begin = Clock::now();
  EXPECT_EQ(run("trap '' TERM; mkfifo nothing; sleep 0.3; read line < nothing"), 14);
  EXPECT_LT(Clock::now() - begin, 20s);
  EXPECT_NE(verdict().message.find("mpirun was killed by signal 9"), std::string::npos) << verdict().message;
}

TEST_F(JobTest, ASignalIsHandedOnAsTheOneThatMpirunPassesOn) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    std::filesystem::remove(path("ready"));
    const pid_t job = start(
        "trap 'kill $!; echo stopped > got; exit 143' USR1; sleep 60 & echo > run.json; touch ready; wait; exit 1");
    await("ready");
    kill(job, number);
    EXPECT_EQ(wait_for(job), 14) << "143 without a verdict: nobody says that it was saved";
    EXPECT_EQ(read_text(path("got")), "stopped\n");
    EXPECT_NE(said().find("dflash: stopping: the run is saved at the end of this step"), std::string::npos) << said();
    std::filesystem::remove(path("got"));
  }
}

TEST_F(JobTest, ARunThatWasSavedAfterASignalSaysSo) {
  const pid_t job = start(R"(trap 'echo "{\"outcome\":\"stopped\",\"exit_code\":143}" > verdict.json; exit 1' USR1; )"
                          "sleep 60 & echo $! > rank; echo > run.json; touch ready; wait");
  await("ready");
  kill(job, SIGTERM);
  EXPECT_EQ(wait_for(job), 143);
  EXPECT_EQ(verdict().outcome, "stopped");
  EXPECT_TRUE(gone("rank")) << "nothing is left";
}

TEST_F(JobTest, ASecondSignalEndsItAtOnce) {
  const pid_t job = start(
      "trap 'touch got' USR1; trap '' TERM; sleep 60 & echo $! > rank; echo > run.json; touch ready; "
      "while true; do wait; done");
  await("ready");
  kill(job, SIGTERM);
  await("got");
  kill(job, SIGTERM);  // within a second: the same one
  std::this_thread::sleep_for(1200ms);
  EXPECT_EQ(waitpid(job, nullptr, WNOHANG), 0) << "two signals at once are one";
  kill(job, SIGTERM);
  EXPECT_EQ(wait_for(job), 144);
  EXPECT_EQ(verdict().exit_code, 144);
  EXPECT_NE(verdict().message.find("nothing more was saved"), std::string::npos);
  EXPECT_TRUE(gone("rank"));
}

TEST_F(JobTest, WhenDflashIsKilledSoIsMpirun) {
  const pid_t job = start("echo $$ > mpirun; touch ready; while true; do read line; done");
  await("ready");
  kill(job, SIGKILL);
  EXPECT_EQ(wait_for(job), -1);
  const auto begin = Clock::now();
  while (!gone("mpirun") && Clock::now() - begin < 20s) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(gone("mpirun"));
}

TEST_F(JobTest, AProgramThatIsNotThereIsASettingThatCannotWork) {
  const pid_t job = fork();
  if (job == 0) {
    say_into(path("said"));
    _exit(run_job({"/nowhere/mpirun"}, run_.path()));
  }
  EXPECT_EQ(wait_for(job), 10);
  EXPECT_NE(said().find("dflash: cannot start /nowhere/mpirun: No such file"), std::string::npos) << said();
}

}  // namespace
}  // namespace dflash
