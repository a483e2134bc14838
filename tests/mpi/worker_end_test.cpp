// How the processes of workers end when a run ends badly: each with the right exit code, whatever mpirun does. Every
// rank runs below a shell that writes its exit code down and stays, so that mpirun notices nothing before the test has
// seen it all.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "common/base/verdict.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class WorkerEnd : public testing::Test {
 protected:
  /// Plays `ending_run HOW` until the processes of `ranks` have ended; returns their exit codes.
  std::vector<int> play(const std::string& how, const std::vector<int>& ranks) {
    const pid_t mpirun = start(how);
    std::vector<int> codes;
    for (const int rank : ranks) codes.push_back(await_code(rank));
    write_text(path("end"), "");
    end(mpirun);
    return codes;
  }
  /// When this rank ended.
  [[nodiscard]] std::filesystem::file_time_type end_of(int rank) const {
    return std::filesystem::last_write_time(code_file(rank));
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return run_.path() / name; }
  [[nodiscard]] const std::filesystem::path& run_folder() const { return run_.path(); }
  [[nodiscard]] std::string said(int rank) const { return read_text(path("said-" + std::to_string(rank))); }

 private:
  [[nodiscard]] std::filesystem::path code_file(int rank) const { return path("code-" + std::to_string(rank)); }

  [[nodiscard]] pid_t start(const std::string& how) const {
    const std::string each = std::string(DFLASH_ENDING_RUN) + " " + how +
                             " >said-$OMPI_COMM_WORLD_RANK 2>&1; echo $? >code.$$; "
                             "mv code.$$ code-$OMPI_COMM_WORLD_RANK; while [ ! -e end ]; do sleep 0.05; done";
    const std::string line = "cd '" + run_.path().string() + "' && exec " + DFLASH_MPIRUN +
                             " --mca odls_base_sigkill_timeout 5 -n 3 sh -c '" + each + "' >mpirun 2>&1";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  [[nodiscard]] int await_code(int rank) const {
    for (const auto begin = Clock::now(); Clock::now() - begin < 20s; std::this_thread::sleep_for(5ms)) {
      if (std::filesystem::exists(code_file(rank))) return std::stoi(read_text(code_file(rank)));
    }
    ADD_FAILURE() << "rank " << rank << " did not end; " << read_text(path("mpirun"));
    return -1;
  }
  /// mpirun obeys the second SIGTERM at once.
  static void end(pid_t mpirun) {
    for (int count = 0; count < 2 && waitpid(mpirun, nullptr, WNOHANG) == 0; ++count) {
      kill(mpirun, SIGTERM);
      std::this_thread::sleep_for(200ms);
    }
    for (const auto begin = Clock::now(); waitpid(mpirun, nullptr, WNOHANG) == 0; std::this_thread::sleep_for(5ms)) {
      if (Clock::now() - begin > 5s) kill(mpirun, SIGKILL);
    }
  }

  TempFolder run_;
};

TEST_F(WorkerEnd, AFailureIsToldAndEndsEveryRankWithItsCode) {
  EXPECT_EQ(play("told", {0, 1, 2}), (std::vector<int>{16, 16, 16}));
  EXPECT_NE(said(1).find("the run has failed: the coordinator says so"), std::string::npos) << said(1);
}

TEST_F(WorkerEnd, AFailureThatNobodyHearsEndsItsRankAllTheSame) {
  EXPECT_EQ(play("untold", {2}), std::vector<int>{16});
}

TEST_F(WorkerEnd, AnAbortEndsABusyWorkerWithTheCodeItSays) {
  EXPECT_EQ(play("abort", {1, 2}), (std::vector<int>{15, 15}));
}

TEST_F(WorkerEnd, AKilledCoordinatorIsSeenAtOnceAndTheVerdictIsWritten) {
  EXPECT_EQ(play("killed", {0, 1, 2}), (std::vector<int>{128 + SIGKILL, 14, 14}));
  for (const int rank : {1, 2}) EXPECT_LT(end_of(rank) - end_of(0), 2s) << "rank " << rank;
  const std::optional<Verdict> verdict = read_verdict(run_folder());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, "failed");
  EXPECT_EQ(verdict->exit_code, 14);
  EXPECT_TRUE(verdict->who.starts_with("coordinator 0 (rank 0")) << verdict->who;
  EXPECT_NE(verdict->message.find(" died; "), std::string::npos) << verdict->message;
  EXPECT_NE(verdict->message.find("was in 'train' at batch 17"), std::string::npos) << verdict->message;
}

TEST_F(WorkerEnd, AVerdictThatIsThereStays) {
  write_verdict(run_folder(), {.outcome = "stopped", .exit_code = 143});
  EXPECT_EQ(play("killed", {1, 2}), (std::vector<int>{14, 14}));
  EXPECT_EQ(read_verdict(run_folder()).value().exit_code, 143);
}

TEST_F(WorkerEnd, ASignalWithoutAWordFromTheCoordinatorEndsAWorkerAfterTwoSeconds) {
  const auto begin = Clock::now();
  EXPECT_EQ(play("silent", {1, 2}), (std::vector<int>{14, 14}));
  EXPECT_GE(Clock::now() - begin, 2s);
  EXPECT_NE(said(1).find("a signal came, and coordinator 0 (rank 0"), std::string::npos) << said(1);
  EXPECT_EQ(read_verdict(run_folder()).value().exit_code, 14);
}

TEST_F(WorkerEnd, ASignalWithPingsFromTheCoordinatorDoesNot) {
  EXPECT_EQ(play("pings", {0, 1, 2}), (std::vector<int>{0, 0, 0}));
  EXPECT_FALSE(read_verdict(run_folder()));
}

}  // namespace
}  // namespace dflash
