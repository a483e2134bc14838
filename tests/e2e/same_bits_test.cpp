// The same settings give the same bits: for any number of targets, any kind of channel and device, however the states
// travel, whatever the timing. And the same data order for any number of drafters.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/run_outcome.h"

namespace dflash {
namespace {

using test::Outcome;
using test::TinyRun;

struct Cast {
  int targets, drafters;
  std::string more = {};         // arguments
  std::string environment = {};  // of all processes
};

const std::string kDelays = "DFLASH_STAGE_DELAYS=7:12";
const std::string kMpi = "--set pipeline.channel=mpi";
const std::string kSync = "--set pipeline.async_postprocess=false ";
const std::string kSplit = "--set pipeline.split_fc_layers=true ";
const std::string kSim = "--set run.device=sim ";
const std::string kFixedShape = "--set pipeline.document_ids=fixed_shape ";
const std::string kNoise = "--set train.noise=cosine --set train.noise_from=0.3 --set train.noise_to=0.02 ";

class SameBits : public ::testing::Test {
 protected:
  std::filesystem::path train(const Cast& cast) {
    const std::filesystem::path run = tiny_.path("run-" + std::to_string(runs_++));
    const auto result = test::run_program(
        format("env {} dflash train {} --targets {} --drafters {} --set run.dir={} {}", cast.environment,
               tiny_.path("run.toml").string(), cast.targets, cast.drafters, run.string(), cast.more));
    EXPECT_EQ(result.exit_code, 0) << result.output;
    const bool pins = cast.more.find(kSim) != std::string::npos && cast.more.find("channel") == std::string::npos;
    EXPECT_EQ(result.output.find("all pinned_host (auto: one node") != std::string::npos, pins) << result.output;
    return run;
  }
  Outcome outcome(const Cast& cast) { return test::outcome_of(train(cast)); }
  void expect_equal(const Outcome& expected, const Cast& cast) {
    const Outcome found = outcome(cast);
    const std::string what =
        format("{} targets, {} drafters {} {}", cast.targets, cast.drafters, cast.more, cast.environment);
    EXPECT_EQ(found.curve, expected.curve) << what;
    EXPECT_TRUE(found.weights == expected.weights) << what;
    EXPECT_TRUE(found.moments == expected.moments) << what;
  }

  TinyRun tiny_;
  int runs_ = 0;
};

TEST_F(SameBits, OneDrafter) {
  const Outcome expected = outcome({1, 1});
  ASSERT_EQ(expected.curve.size(), 12U);
  expect_equal(expected, {2, 1});
  expect_equal(expected, {3, 1, kSync});
  expect_equal(expected, {1, 1, kMpi});
  expect_equal(expected, {3, 1, kMpi, kDelays});
  expect_equal(expected, {2, 1, kSync + "--hs-queue-depth 1", kDelays});
  expect_equal(expected, {2, 1, kSim + "--min-ready 3"});
  expect_equal(expected, {1, 1, kSim + kSync + kSplit + kFixedShape});
  expect_equal(expected, {2, 1, kSim + "--set pipeline.channel=shm"});
  expect_equal(expected, {2, 1, kSplit + kMpi, kDelays});
}

// Noise is added on the target, or, to split layers, on the drafter.
TEST_F(SameBits, WithNoise) {
  const Outcome expected = outcome({1, 2, kNoise});
  ASSERT_EQ(expected.curve.size(), 12U);
  EXPECT_NE(expected.curve, outcome({1, 2}).curve);
  expect_equal(expected, {2, 2, kNoise + kSplit});
  expect_equal(expected, {2, 2, kNoise + kSplit + kSim});
  expect_equal(expected, {1, 2, kNoise + kSim + kSync});
}

TEST_F(SameBits, TwoDrafters) {
  const Outcome expected = outcome({1, 2});
  ASSERT_EQ(expected.curve.size(), 12U);
  expect_equal(expected, {2, 2});
  expect_equal(expected, {1, 2, kMpi});
  expect_equal(expected, {2, 2, kMpi, kDelays});
  expect_equal(expected, {2, 2, "--hs-queue-depth 2", kDelays});
}

// A step of six batches on one, two or three drafters: the same batches with the same anchors in every step, so the
// same loss but for the order in which numbers are added up.
TEST_F(SameBits, TheDataOrderDoesNotDependOnTheNumberOfDrafters) {
  std::vector<std::vector<Json>> curves;
  for (const int drafters : {1, 2, 3}) {
    curves.push_back(TinyRun::metrics(
        train({1, drafters, format("--set train.steps=6 --set train.accumulation_steps={}", 6 / drafters)})));
    ASSERT_EQ(curves.back().size(), 6U);
  }
  for (const auto& curve : curves) {
    for (size_t step = 0; step < curve.size(); ++step) {
      const Json& one = curves[0][step];
      EXPECT_EQ(curve[step]["anchor_coverage"], one["anchor_coverage"]) << step;
      EXPECT_EQ(curve[step]["lr"], one["lr"]) << step;
      EXPECT_NEAR(curve[step]["loss"].get<double>(), one["loss"].get<double>(), 1e-4 * one["loss"].get<double>());
    }
  }
  const double first = curves[0][0]["loss"].get<double>(), second = curves[0][1]["loss"].get<double>();
  EXPECT_GT(std::abs(first - second), 1e-3 * first) << "other batches would have gone unnoticed";
}

}  // namespace
}  // namespace dflash
