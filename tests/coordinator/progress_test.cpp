#include <gtest/gtest.h>

#include "coordinator/progress_line.h"
#include "coordinator/progress_tracker.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Progress example() {
  return {.step = 120,
          .total_steps = 600,
          .loss = 2.4119,
          .acc = 0.41,
          .acc_per_position = {0.62, 0.51, 0.38, 0.30},
          .accept_len = 2.13,
          .tokens_per_s = 12345,
          .supervised_positions_per_s = 3949,
          .eta_s = 92,
          .queue_level = 12,
          .queue_depth = 60,
          .drafter_wait_share = 0.031};
}

TEST(ProgressLine, Whole) {
  EXPECT_EQ(
      progress_line(example()),
      "step 120/600 (20 %)  loss 2.412  acc .41 (.62 .51 .38 .30)  accept 2.1  12.3k tok/s  3.9k sup/s  ETA 1m32s  "
      "queue 12/60  drafter waits 3 %");
}

TEST(ProgressLine, BeforeTheFirstMetricStep) {
  Progress progress = example();
  progress.acc = progress.accept_len = progress.tokens_per_s = progress.supervised_positions_per_s =
      progress.eta_s = {};
  progress.acc_per_position.clear();
  EXPECT_EQ(progress_line(progress), "step 120/600 (20 %)  loss 2.412  queue 12/60  drafter waits 3 %");
}

TEST(ProgressLine, ManyPositionsAreElided) {
  Progress progress = example();
  progress.acc_per_position = {1.0, .9, .8, .7, .6, .5, .4, .3, .2};
  progress.acc_per_position[1] = std::nullopt;
  EXPECT_NE(progress_line(progress).find("acc .41 (1.0 - .80 .70 .60 .50 .40 .30 ..)  accept"), std::string::npos);
  progress.acc_per_position.pop_back();
  EXPECT_NE(progress_line(progress).find(".40 .30)  accept"), std::string::npos);
}

TEST(ProgressLine, NeverWiderThan160) {
  Progress progress = example();
  progress.step = progress.total_steps = 100'000'000;
  progress.acc_per_position.assign(15, 0.55);
  progress.queue_level = progress.queue_depth = 65536;
  progress.eta_s = 359999;
  const std::string line = progress_line(progress);
  EXPECT_LE(line.size(), kProgressLineWidth);
  EXPECT_NE(line.find("drafter waits 3 %"), std::string::npos) << line;
  progress.loss = 1e200;
  EXPECT_LE(progress_line(progress).size(), kProgressLineWidth);
}

TEST(ProgressLine, RatesAndDurationsOfAllSizes) {
  const auto shows = [](double rate, double eta, const std::string& text) {
    Progress progress = example();
    progress.tokens_per_s = rate;
    progress.supervised_positions_per_s = std::nullopt;
    progress.eta_s = eta;
    EXPECT_NE(progress_line(progress).find("  " + text + "  "), std::string::npos) << progress_line(progress);
  };
  shows(0, 0, "0 tok/s  ETA 0s");
  shows(999.4, 59.4, "999 tok/s  ETA 59s");
  shows(999.6, 59.6, "1.0k tok/s  ETA 1m00s");
  shows(999'940, 3599, "999.9k tok/s  ETA 59m59s");
  shows(999'960, 3600, "1.0M tok/s  ETA 1h00m");
  shows(4.04e6, 86400 * 12 + 3600 * 4, "4.0M tok/s  ETA 12d04h");
}

StepMetrics metrics_of(int64_t step) {
  StepMetrics metrics;
  metrics.step = step;
  metrics.loss = 2;
  metrics.tokens = 1000;
  metrics.supervised_positions = 100;
  metrics.step_s = 2;
  metrics.drafter_wait_share = 0.25;
  return metrics;
}

TEST(ProgressTracker, RatesOverTheNewest30Steps) {
  const ProgressTracker::TimePoint start{};
  ProgressTracker tracker(100, 0, 60, start);
  auto now = start;
  Progress progress;
  for (int64_t step = 1; step <= 10; ++step) progress = tracker.update(metrics_of(step), now += 2s);
  EXPECT_DOUBLE_EQ(*progress.tokens_per_s, 500);
  EXPECT_DOUBLE_EQ(*progress.eta_s, 180);
  EXPECT_DOUBLE_EQ(progress.drafter_wait_share, 0.25);
  // Twice as slow from here; after 30 such steps the first ten are forgotten.
  for (int64_t step = 11; step <= 40; ++step) progress = tracker.update(metrics_of(step), now += 4s);
  EXPECT_DOUBLE_EQ(*progress.tokens_per_s, 250);
  EXPECT_DOUBLE_EQ(*progress.supervised_positions_per_s, 25);
  EXPECT_DOUBLE_EQ(*progress.eta_s, 240);
  EXPECT_EQ(progress.queue_depth, 60);
}

TEST(ProgressTracker, StepsOfAnEarlierRunTookNoTimeOfThisOne) {
  const ProgressTracker::TimePoint start{};
  ProgressTracker tracker(20, 10, 60, start);
  Progress progress = tracker.update(metrics_of(11), start + 2s);
  EXPECT_EQ(progress.step, 11);
  EXPECT_DOUBLE_EQ(*progress.tokens_per_s, 500);
  EXPECT_DOUBLE_EQ(*progress.eta_s, 18);
  progress = tracker.update(metrics_of(12), start + 6s);
  EXPECT_DOUBLE_EQ(*progress.eta_s, 24);
}

TEST(ProgressTracker, AccuracyStaysUntilTheNextMetricStep) {
  const ProgressTracker::TimePoint start{};
  ProgressTracker tracker(10, 0, 60, start);
  EXPECT_FALSE(tracker.update(metrics_of(1), start).acc);
  StepMetrics measured = metrics_of(2);
  measured.acc = 0.5;
  measured.acc_per_position = {0.5};
  measured.accept_len = 1.5;
  EXPECT_EQ(tracker.update(measured, start + 1s).acc, 0.5);
  const Progress& later = tracker.update(metrics_of(3), start + 2s);
  EXPECT_EQ(later.acc, 0.5);
  EXPECT_EQ(later.accept_len, 1.5);
  EXPECT_EQ(later.step, 3);
}

TEST(ProgressTracker, WithoutTimeThereIsNoRate) {
  ProgressTracker tracker(10, 0, 60, {});
  const Progress& progress = tracker.update(metrics_of(1), {});
  EXPECT_FALSE(progress.tokens_per_s || progress.eta_s);
}

}  // namespace
}  // namespace dflash
