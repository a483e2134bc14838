// Signals: the coordinator alone acts on them, and saves only when every rank answers.

#include <gtest/gtest.h>
#include <signal.h>

#include "common/base/verdict.h"
#include "common/checkpoint/checkpoint_store.h"
#include "tests/support/running_job.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using test::RunningJob;
using test::TinyRun;

class StoppedRun : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path run() const { return tiny_.path("run"); }
  [[nodiscard]] std::string endless() const {
    return "train " + tiny_.path("run.toml").string() + " --targets 2 --drafters 1 --set train.steps=100000" +
           " --set checkpoint.every_steps=1000";
  }
  void expect_saved(const RunningJob& job) const {
    const auto verdict = read_verdict(run());
    ASSERT_TRUE(verdict) << job.output();
    EXPECT_EQ(verdict->outcome, "stopped");
    EXPECT_EQ(verdict->exit_code, 143);
    const CheckpointStore store(run() / "checkpoints");
    EXPECT_EQ(store.committed_steps(), (std::vector<int64_t>{0, verdict->step}));
    EXPECT_EQ(store.verify(verdict->step).step(), verdict->step);
    EXPECT_EQ(job.steps(), verdict->step) << "the saved step is the last one";
    EXPECT_EQ(job.processes(), 0U);
  }
  TinyRun tiny_;
};

TEST_F(StoppedRun, SigtermAndSigintSaveAndEndWith143) {
  for (const int number : {SIGTERM, SIGINT}) {
    std::filesystem::remove_all(run());
    RunningJob job("dflash", endless(), run());
    ASSERT_TRUE(job.reaches_step(3)) << job.output();
    job.signal(number);
    EXPECT_EQ(job.wait(20s), 143) << job.output();
    expect_saved(job);
  }
}

// A scheduler's SIGTERM reaches every process at once.
TEST_F(StoppedRun, ASignalToEveryProcessIsTheSame) {
  RunningJob job("dflash", endless(), run());
  ASSERT_TRUE(job.reaches_step(3)) << job.output();
  for (const char* name : {"dflash", "mpirun", "drafter_worker", "target_worker", "coordinator"}) {
    for (const pid_t pid : job.pids(name)) kill(pid, SIGTERM);
  }
  EXPECT_EQ(job.wait(30s), 143) << job.output();
  expect_saved(job);
}

TEST_F(StoppedRun, AFrozenRankIsNamedAndNothingIsSaved) {
  RunningJob job("dflash", endless(), run());
  ASSERT_TRUE(job.reaches_step(3)) << job.output();
  const std::vector<pid_t> targets = job.pids("target_worker");
  ASSERT_EQ(targets.size(), 2U);
  kill(targets[1], SIGSTOP);
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait(20s), 14) << job.output();
  const auto verdict = read_verdict(run());
  ASSERT_TRUE(verdict);
  EXPECT_NE(verdict->who.find("target 1"), std::string::npos) << verdict->who;
  EXPECT_NE(verdict->message.find("did not answer"), std::string::npos) << verdict->message;
  EXPECT_EQ(CheckpointStore(run() / "checkpoints").committed_steps(), (std::vector<int64_t>{0}));
  EXPECT_EQ(job.processes(), 0U) << "the frozen one too";
}

TEST_F(StoppedRun, ASecondSignalEndsItAtOnce) {
  RunningJob job("dflash", endless() + " --set train.accumulation_steps=1000", run());  // a step takes long
  ASSERT_TRUE(test::eventually(60s, [&] { return std::filesystem::exists(run() / "checkpoints/step-00000000"); }));
  job.signal(SIGINT);
  std::this_thread::sleep_for(1200ms);
  job.signal(SIGINT);
  EXPECT_EQ(job.wait(10s), 144) << job.output();
  const auto verdict = read_verdict(run());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->exit_code, 144);
  EXPECT_EQ(job.processes(), 0U);
}

TEST_F(StoppedRun, BeforeTheFirstStepThereIsNothingToSave) {
  RunningJob job("dflash", endless(), run(), "DFLASH_STAGE_DELAYS=1:3000");  // loading takes long
  ASSERT_TRUE(test::eventually(60s, [&] { return job.ranks() == 4; })) << job.output();
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait(20s), 144) << job.output();
  EXPECT_EQ(job.processes(), 0U);
  const auto verdict = read_verdict(run());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, "stopped");
  EXPECT_NE(verdict->message.find("before its first step"), std::string::npos) << verdict->message;
  EXPECT_EQ(tiny_.train().exit_code, 0) << "the folder of a run that never began is still new";
}

TEST_F(StoppedRun, WithABareMpirunTheCoordinatorDoesTheSame) {
  const std::string bin = test::programs_dir().string();
  RunningJob job("mpirun",
                 "--allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader -n 1 " + bin +
                     "/coordinator " + tiny_.path("run.toml").string() +
                     " --set train.steps=100000 --set checkpoint.every_steps=1000 : -n 1 " + bin +
                     "/target_worker : -n 1 " + bin + "/drafter_worker",
                 run());
  ASSERT_TRUE(job.reaches_step(3)) << job.output();
  const std::vector<pid_t> coordinators = job.pids("coordinator");
  ASSERT_EQ(coordinators.size(), 1U);
  kill(coordinators[0], SIGTERM);
  EXPECT_EQ(job.wait(20s), 143) << job.output();
  expect_saved(job);
}

}  // namespace
}  // namespace dflash
