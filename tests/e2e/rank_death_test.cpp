// kill -9 of any rank at any moment: the others are gone within seconds, the verdict names it, the checkpoints are
// whole, nothing is left behind, and the run goes on from there.

#include <gtest/gtest.h>
#include <signal.h>

#include <random>
#include <set>

#include "common/base/verdict.h"
#include "common/checkpoint/checkpoint_store.h"
#include "tests/support/running_job.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using test::RunningJob;
using test::TinyRun;

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

class RankDeath : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::filesystem::path run() const { return tiny_.path("run"); }
  [[nodiscard]] std::string arguments(const std::string& more) const {
    return "train " + tiny_.path("run.toml").string() + " --targets 2 --drafters 2 --set train.steps=100000" +
           " --set checkpoint.every_steps=2 " + more;
  }

  /// Kills the process and looks at how the others end.
  void kill_and_watch(RunningJob& job, pid_t victim) {
    kill(victim, SIGKILL);
    EXPECT_TRUE(test::eventually(5s, [&] { return job.ranks() == 0; })) << job.ranks() << " ranks are left";
    EXPECT_EQ(job.wait(10s), 14) << job.output();
    EXPECT_EQ(job.processes(), 0U);
  }
  void expect_committed_checkpoints_whole() const {
    const CheckpointStore store(run() / "checkpoints");
    for (const int64_t step : store.committed_steps()) EXPECT_EQ(store.verify(step).step(), step);
  }
  void expect_whole_checkpoints() const {
    expect_committed_checkpoints_whole();
    for (const auto& folder : {run(), run() / "checkpoints"}) {
      for (const std::string& name : names_in(folder)) {
        EXPECT_EQ(name.find(".tmp"), std::string::npos) << name << " was left behind";
      }
    }
  }
  TinyRun tiny_;
};

TEST_P(RankDeath, AtARandomMoment) {
  std::random_device entropy;
  const std::string name = GetParam();
  for (int round = 0; round < 2; ++round) {
    const auto pause = std::chrono::milliseconds(entropy() % 1500);
    SCOPED_TRACE(name + " is killed after " + std::to_string(pause.count()) + " ms");
    RunningJob job("dflash", arguments(round > 0 ? "--resume auto" : ""), run());
    ASSERT_TRUE(test::eventually(60s, [&] { return job.ranks() == 5; })) << job.output();
    const std::filesystem::path shared_memory = job.shared_memory_folder();
    EXPECT_TRUE(std::filesystem::exists(shared_memory)) << shared_memory;
    std::this_thread::sleep_for(pause);
    const std::vector<pid_t> victims = job.pids(name);
    ASSERT_FALSE(victims.empty()) << job.output();
    kill_and_watch(job, victims.back());
    const auto verdict = read_verdict(run());
    ASSERT_TRUE(verdict) << job.output();
    EXPECT_EQ(verdict->outcome, "failed");
    EXPECT_EQ(verdict->exit_code, 14);
    expect_whole_checkpoints();
    EXPECT_FALSE(std::filesystem::exists(shared_memory)) << shared_memory;
  }
}

INSTANTIATE_TEST_SUITE_P(Roles, RankDeath, testing::Values("coordinator", "target_worker", "drafter_worker"),
                         [](const auto& role) { return std::string(role.param); });

class RankDeathInTraining : public RankDeath {};

TEST_P(RankDeathInTraining, IsNamedWithStageAndBatch) {
  const std::string program = GetParam();
  RunningJob job("dflash", arguments(""), run());
  ASSERT_TRUE(job.reaches_step(4)) << job.output();
  // Commits come behind the steps.
  const auto committed = [&] { return CheckpointStore(run() / "checkpoints").committed_steps().size(); };
  ASSERT_TRUE(test::eventually(60s, [&] { return committed() >= 2; })) << job.output();
  std::this_thread::sleep_for(300ms);  // a rank tells where it is every 0.1 s: it has told of step 4
  kill_and_watch(job, job.pids(program).back());
  const auto verdict = read_verdict(run());
  ASSERT_TRUE(verdict) << job.output();
  const std::string who = program.substr(0, program.find('_')) + (program == "coordinator" ? " 0" : " 1");
  EXPECT_TRUE(verdict->who.starts_with(who)) << verdict->who;
  EXPECT_NE(verdict->message.find("died"), std::string::npos) << verdict->message;
  EXPECT_NE(verdict->stage, "");
  EXPECT_NE(verdict->stage, "start");
  if (program != "coordinator") {
    EXPECT_GE(verdict->step, 4);
  }
  if (program == "drafter_worker") {  // a target may be between two batches
    EXPECT_GE(verdict->batch, 4);
    EXPECT_NE(verdict->message.find(format("at batch {}", verdict->batch)), std::string::npos) << verdict->message;
  }
  // A commit that was under way may have ended after the verdict was made.
  EXPECT_FALSE(verdict->checkpoint.empty());
  EXPECT_TRUE(std::filesystem::exists(run() / verdict->checkpoint / "MANIFEST.json")) << verdict->checkpoint;
  EXPECT_NE(job.output().find(verdict->message), std::string::npos) << job.output();
  expect_whole_checkpoints();
  EXPECT_GE(committed(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Roles, RankDeathInTraining, testing::Values("coordinator", "target_worker", "drafter_worker"),
                         [](const auto& role) { return std::string(role.param); });

TEST_F(RankDeath, MpirunItself) {
  RunningJob job("dflash", arguments(""), run());
  ASSERT_TRUE(job.reaches_step(3)) << job.output();
  kill_and_watch(job, job.pids("mpirun").back());
  const auto verdict = read_verdict(run());
  ASSERT_TRUE(verdict) << job.output();
  EXPECT_NE(verdict->message.find("mpirun was killed by signal 9"), std::string::npos) << verdict->message;
  expect_whole_checkpoints();
}

TEST_F(RankDeath, DflashItselfTakesTheRunWithIt) {
  RunningJob job("dflash", arguments(""), run());
  ASSERT_TRUE(job.reaches_step(3)) << job.output();
  const std::filesystem::path shared_memory = job.shared_memory_folder();
  job.signal(SIGKILL);
  EXPECT_TRUE(test::eventually(60s, [&] { return job.processes() == 0; })) << job.processes() << " processes are left";
  expect_committed_checkpoints_whole();
  // What dflash alone would have removed is left to the next run: Open MPI's segments, and a checkpoint that was being
  // written.
  EXPECT_TRUE(exists(shared_memory));
  RunningJob next("dflash", arguments("--resume"), run());
  ASSERT_TRUE(next.reaches_step(job.steps() + 2)) << next.output();
  EXPECT_FALSE(exists(shared_memory));
  EXPECT_TRUE(exists(next.shared_memory_folder())) << "that of a living one stays";
  next.signal(SIGTERM);
  EXPECT_TRUE(test::eventually(60s, [&] { return next.processes() == 0; }));
  expect_whole_checkpoints();
}

}  // namespace
}  // namespace dflash
