// One role alone, and training from a recorded folder: what comes out is, to the bit, what the live run computes.

#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/run_outcome.h"
#include "tests/support/running_job.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using test::outcome_of;
using test::TinyRun;
namespace fs = std::filesystem;

class OfflineRun : public ::testing::Test {
 protected:
  [[nodiscard]] std::string toml() const { return tiny_.path("run.toml").string(); }
  [[nodiscard]] std::string dir(const std::string& name) const { return tiny_.path(name).string(); }

  [[nodiscard]] test::ProgramResult record(const std::string& folder, const std::string& more = "") const {
    return test::run_program(format("target_worker --solo {} --record {} {}", toml(), dir(folder), more));
  }
  [[nodiscard]] test::ProgramResult replay(const std::string& folder, const std::string& run,
                                           const std::string& more = "") const {
    return test::run_program(
        format("drafter_worker --solo {} --replay {} --set run.dir={} {}", toml(), dir(folder), dir(run), more));
  }
  [[nodiscard]] test::ProgramResult train(const std::string& run, const std::string& more) const {
    return tiny_.train(format("--set run.dir={} {}", dir(run), more));
  }
  void expect_refused(const test::ProgramResult& result, int code, const std::vector<std::string>& words) const {
    EXPECT_EQ(result.exit_code, code) << result.output;
    for (const std::string& word : words) EXPECT_NE(result.output.find(word), std::string::npos) << result.output;
  }

  TinyRun tiny_;
};

void expect_ok(const test::ProgramResult& result) {
  ASSERT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(OfflineRun, ADrafterAloneComputesWhatTheLiveRunDoes) {
  const std::string noise = "--set train.noise=linear --set train.noise_from=0.2 --set train.noise_to=0.01";
  expect_ok(record("recorded"));
  expect_ok(train("live", ""));
  expect_ok(replay("recorded", "alone"));
  const test::Outcome live = outcome_of(dir("live"));
  ASSERT_EQ(live.curve.size(), 12U);
  EXPECT_TRUE(outcome_of(dir("alone")) == live);

  expect_ok(replay("recorded", "alone-sim", "--set run.device=sim --set pipeline.hs_queue_depth=2"));
  EXPECT_TRUE(outcome_of(dir("alone-sim")) == live);

  expect_ok(train("live-noise", noise));
  expect_ok(replay("recorded", "alone-noise", noise));
  EXPECT_TRUE(outcome_of(dir("alone-noise")) == outcome_of(dir("live-noise"))) << "noise is added on replay";
  EXPECT_FALSE(outcome_of(dir("live-noise")) == live);
}

TEST_F(OfflineRun, AnyNumberOfDraftersTrainFromOneFolder) {
  expect_ok(record("recorded", "--batches 24 --set pipeline.split_fc_layers=true --set run.device=sim"));
  expect_ok(train("live", "--targets 2 --drafters 2"));
  expect_ok(train("live-1", "--set train.accumulation_steps=2"));
  fs::remove(dir("documents.jsonl"));  // nobody reads them any more
  expect_ok(train("offline", "--drafters 2 --recorded " + dir("recorded")));
  EXPECT_TRUE(outcome_of(dir("offline")) == outcome_of(dir("live")));
  expect_ok(train("offline-1", "--set train.accumulation_steps=2 --recorded " + dir("recorded")));
  EXPECT_TRUE(outcome_of(dir("offline-1")) == outcome_of(dir("live-1")));
}

TEST_F(OfflineRun, GoesOnAfterASignalAndAfterAKill) {
  expect_ok(record("recorded"));
  expect_ok(replay("recorded", "whole"));
  const std::string slow = "DFLASH_STAGE_DELAYS=3:60";
  for (const int signal : {SIGTERM, SIGKILL}) {
    const std::string run = format("run-{}", signal);
    const std::string line = format("--solo {} --replay {} --set run.dir={}", toml(), dir("recorded"), dir(run));
    test::RunningJob job("drafter_worker", line, dir(run), slow);
    ASSERT_TRUE(job.reaches_step(6)) << job.output();
    for (const pid_t pid : job.pids("drafter_worker")) kill(pid, signal);
    EXPECT_EQ(job.wait(20s), signal == SIGTERM ? 143 : 128 + SIGKILL) << job.output();
    expect_ok(replay("recorded", run, "--resume auto"));
    EXPECT_TRUE(outcome_of(dir(run)) == outcome_of(dir("whole"))) << signal;
  }
}

TEST_F(OfflineRun, DoesNotGoOnFromAnotherRecording) {
  expect_ok(record("recorded"));
  expect_ok(record("other-order", "--set run.seed=4"));
  expect_ok(record("smaller", "--store float8"));
  expect_ok(replay("recorded", "run"));
  for (const char* other : {"other-order", "smaller"}) {
    expect_refused(replay(other, "run", "--resume 10"), 10, {"hold other batches than when the checkpoint was made"});
  }
  expect_ok(train("run", "--resume 10"));  // the live run's own batches
  expect_ok(train("live", ""));
  EXPECT_TRUE(outcome_of(dir("run")) == outcome_of(dir("live")));
}

TEST_F(OfflineRun, ARecordingThatWasStoppedCanBeTrainedFrom) {
  test::RunningJob job("target_worker", format("--solo {} --record {} --batches 400", toml(), dir("recorded")),
                       dir("record"), "DFLASH_STAGE_DELAYS=3:30");
  const auto batches = [&] {
    std::error_code none;
    return std::distance(fs::directory_iterator(dir("recorded"), none), fs::directory_iterator());
  };
  ASSERT_TRUE(test::eventually(30s, [&] { return batches() > 14; })) << job.output();
  for (const pid_t pid : job.pids("target_worker")) kill(pid, SIGTERM);
  EXPECT_EQ(job.wait(20s), 143) << job.output();
  EXPECT_NE(job.output().find("a signal ended it after"), std::string::npos) << job.output();
  expect_ok(train("live", ""));
  expect_ok(replay("recorded", "alone"));
  EXPECT_TRUE(outcome_of(dir("alone")) == outcome_of(dir("live")));
}

TEST_F(OfflineRun, SmallerStorageSaysWhatItCosts) {
  expect_ok(record("as-is"));
  expect_ok(replay("as-is", "exact"));
  double last_error = 0;
  for (const std::string storage : {"bfloat16", "float8"}) {
    const auto recorded = record(storage, "--store " + storage);
    expect_ok(recorded);
    EXPECT_NE(recorded.output.find("relative error of the stored states"), std::string::npos) << recorded.output;
    const double error = read_json_file(dir(storage) + "/recording.json")["measured"]["relative_rms"].get<double>();
    EXPECT_GT(error, last_error);
    last_error = error;
    const std::string batch = "batch-000000000003.bin";
    EXPECT_LT(fs::file_size(dir(storage) + "/" + batch), fs::file_size(dir("as-is") + "/" + batch));
    expect_ok(replay(storage, "run-" + storage));
    const Json exact = TinyRun::metrics(dir("exact")).back(), small = TinyRun::metrics(dir("run-" + storage)).back();
    EXPECT_NE(exact["loss"], small["loss"]);
    EXPECT_NEAR(exact["loss"].get<double>(), small["loss"].get<double>(), error * exact["loss"].get<double>());
  }
  EXPECT_LT(last_error, 0.04);
}

TEST_F(OfflineRun, RefusesWhatCannotBe) {
  expect_ok(record("recorded"));
  expect_refused(record("recorded"), 10, {"not empty"});
  expect_refused(record("x", "--first 12"), 10, {"--first 12: the run has 12 batches"});
  expect_refused(record("x", "--store float4"), 10, {"--store", "float8"});
  expect_refused(replay("recorded", "run", "--set train.steps=13"), 10, {"holds 12", "--batches 13"});
  expect_refused(replay("recorded", "run", "--set data.pack_tokens=64"), 10, {"another layout", "data.pack_tokens"});
  expect_refused(replay("nowhere", "run"), 11, {"nowhere"});
  expect_refused(train("run", "--targets 1 --recorded " + dir("recorded")), 10, {"start no targets"});
  expect_refused(train("run", "--targets 0"), 10, {"--targets 0"});
  expect_refused(train("run", "--drafters 2 --recorded " + dir("recorded")), 10, {"take 24 batches", "holds 12"});
  EXPECT_FALSE(fs::exists(dir("run") + "/metrics.jsonl"));
}

TEST_F(OfflineRun, ABatchThatIsNotWhatWasWrittenEndsTheRunByName) {
  expect_ok(record("recorded"));
  const std::string batch = dir("recorded") + "/batch-000000000007.bin";
  std::string bytes = read_text(batch);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_text(batch, bytes);
  expect_refused(replay("recorded", "alone"), 11, {"batch-000000000007.bin"});
  EXPECT_LE(TinyRun::metrics(dir("alone")).size(), 7U);
  const Json verdict = read_json_file(dir("alone") + "/verdict.json");
  EXPECT_EQ(verdict["stage"], "receive a batch");
  EXPECT_EQ(verdict["batch"], 7) << "not the one that is being trained";
  expect_refused(train("offline", "--recorded " + dir("recorded")), 11, {"batch-000000000007.bin"});
  fs::remove(batch);
  expect_refused(train("offline-2", "--recorded " + dir("recorded")), 11, {"batch-000000000007.bin is missing"});
}

TEST_F(OfflineRun, OneBatchAloneSaysWhatTheRunSaidOfIt) {
  expect_ok(record("recorded", "--first 0 --batches 2"));
  expect_ok(train("live", ""));
  const auto look =
      test::run_program(format("drafter_worker --solo {} --replay {} --batch 0", toml(), dir("recorded")));
  expect_ok(look);
  const Json seen = parse_json(look.output, "what it printed"), first = TinyRun::metrics(dir("live"))[0];
  EXPECT_EQ(seen["loss"], first["loss"]);
  EXPECT_EQ(seen["grad_norm"], first["grad_norm"]);
  EXPECT_EQ(seen["tensors"]["layer 2"]["nan"], 0);
  expect_refused(test::run_program(format("drafter_worker --solo {} --replay {} --batch 5", toml(), dir("recorded"))),
                 11, {"batch-000000000005"});
}

}  // namespace
}  // namespace dflash
