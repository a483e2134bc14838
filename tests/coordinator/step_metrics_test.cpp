#include "coordinator/step_metrics.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/base/json.h"

namespace dflash {
namespace {

StepReport plain_report() {
  StepReport report;
  report.set_step(3);
  report.set_loss_sum(10);
  report.set_weight_sum(4);
  report.set_lr(6e-4);
  report.set_grad_norm(0.1);
  report.set_tokens(2048);
  report.set_supervised_positions(512);
  report.set_anchors(30);
  report.set_eligible_anchors(120);
  report.set_queue_level(7);
  report.set_queue_peak(9);
  report.set_wait_ns(100'000'000);
  report.set_step_ns(500'000'000);
  return report;
}

TEST(StepMetrics, AStepBetweenMetricSteps) {
  const Json line = Json::parse(metrics_line(step_metrics(plain_report())));
  EXPECT_EQ(line["step"], 3);
  EXPECT_EQ(line["loss"], 2.5);
  EXPECT_EQ(line["lr"], 6e-4);
  EXPECT_EQ(line["grad_norm"], 0.1);
  EXPECT_EQ(line["tokens_per_s"], 4096);
  EXPECT_EQ(line["supervised_positions_per_s"], 1024);
  EXPECT_EQ(line["queue_level"], 7);
  EXPECT_EQ(line["queue_peak"], 9);
  EXPECT_EQ(line["skipped"], false);
  EXPECT_EQ(line["anchor_coverage"], 0.25);
  EXPECT_EQ(line["drafter_wait_share"], 0.2);
  EXPECT_EQ(line["step_s"], 0.5);
  for (const char* key : {"acc", "acc_per_position", "accept_len"}) EXPECT_TRUE(line.at(key).is_null()) << key;
}

TEST(StepMetrics, AStepThatWasSkippedHasNoLoss) {
  StepReport report = plain_report();
  report.set_skipped(true);
  report.set_weight_sum(std::numeric_limits<double>::quiet_NaN());
  report.set_grad_norm(std::numeric_limits<double>::infinity());
  const Json line = Json::parse(metrics_line(step_metrics(report)));
  EXPECT_EQ(line["skipped"], true);
  EXPECT_TRUE(line["loss"].is_null() && line["grad_norm"].is_null());
}

TEST(StepMetrics, AMetricStep) {
  StepReport report = plain_report();
  for (const int64_t correct : {6, 3, 0}) report.add_correct_per_position(correct);
  for (const int64_t total : {8, 4, 0}) report.add_total_per_position(total);
  report.set_accept_length_sum(21);
  report.set_accept_length_count(10);
  const Json line = Json::parse(metrics_line(step_metrics(report)));
  EXPECT_EQ(line["acc"], 0.75);
  EXPECT_EQ(line["acc_per_position"], Json::parse("[0.75, 0.75, null]"));
  EXPECT_EQ(line["accept_len"], 2.1);
}

TEST(StepMetrics, WithoutWeightOrTimeThereIsNoRatio) {
  StepReport report = plain_report();
  report.set_weight_sum(0);
  report.set_eligible_anchors(0);
  report.set_step_ns(0);
  const Json line = Json::parse(metrics_line(step_metrics(report)));
  for (const char* key : {"loss", "anchor_coverage", "tokens_per_s", "supervised_positions_per_s"}) {
    EXPECT_TRUE(line.at(key).is_null()) << key;
  }
}

TEST(StepMetrics, NumbersRoundTripExactlyAndNonFiniteIsNull) {
  const double awkward[] = {0.1, 1.0 / 3, 2.4123456789012345, 5e-324, 1.7976931348623157e308, 123456789.123456789};
  for (const double value : awkward) {
    StepReport report = plain_report();
    report.set_loss_sum(value);
    report.set_weight_sum(1);
    report.set_lr(value);
    const Json line = Json::parse(metrics_line(step_metrics(report)));
    EXPECT_EQ(line["loss"].get<double>(), value);
    EXPECT_EQ(line["lr"].get<double>(), value);
  }
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    StepReport report = plain_report();
    report.set_loss_sum(value);
    report.set_grad_norm(value);
    const Json line = Json::parse(metrics_line(step_metrics(report)));
    EXPECT_TRUE(line["loss"].is_null());
    EXPECT_TRUE(line["grad_norm"].is_null());
  }
}

}  // namespace
}  // namespace dflash
