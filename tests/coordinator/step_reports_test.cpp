#include "coordinator/step_reports.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dflash {
namespace {

StepReport report_of(int64_t step, double loss_sum = 0) {
  StepReport report;
  report.set_step(step);
  report.set_loss_sum(loss_sum);
  report.set_weight_sum(1);
  return report;
}

/// Every field another number.
StepReport whole_report(int64_t k) {
  StepReport report;
  report.set_step(1);
  report.set_loss_sum(0.5 * static_cast<double>(k));
  report.set_weight_sum(2.25 * static_cast<double>(k));
  report.set_lr(0.125);
  report.set_grad_norm(3.5);
  report.set_tokens(100 * k);
  report.set_supervised_positions(10 * k);
  report.set_anchors(7 * k);
  report.set_eligible_anchors(8 * k);
  report.set_queue_level(k);
  report.set_wait_ns(1000 * k);
  report.set_step_ns(5000 - 1000 * k);
  report.add_correct_per_position(k);
  report.add_total_per_position(2 * k);
  if (k == 2) {  // a drafter that saw one position more
    report.add_correct_per_position(40);
    report.add_total_per_position(50);
  }
  report.set_accept_length_sum(6 * k);
  report.set_accept_length_count(3 * k);
  return report;
}

TEST(StepReports, TheSumsOfThreeByHand) {
  StepReports reports(3, 0);
  for (const int drafter : {2, 0, 1}) reports.add(drafter, whole_report(drafter + 1));  // 1, 2 and 3 times
  const std::optional<StepReport> sum = reports.next();
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->step(), 1);
  EXPECT_EQ(sum->loss_sum(), 3.0);
  EXPECT_EQ(sum->weight_sum(), 13.5);
  EXPECT_EQ(sum->lr(), 0.125);
  EXPECT_EQ(sum->grad_norm(), 3.5);
  EXPECT_EQ(sum->tokens(), 600);
  EXPECT_EQ(sum->supervised_positions(), 60);
  EXPECT_EQ(sum->anchors(), 42);
  EXPECT_EQ(sum->eligible_anchors(), 48);
  EXPECT_EQ(sum->queue_level(), 6);
  EXPECT_EQ(sum->wait_ns(), 2000) << "the mean of 1000, 2000 and 3000";
  EXPECT_EQ(sum->step_ns(), 4000) << "the longest of 4000, 3000 and 2000";
  EXPECT_EQ(std::vector<int64_t>(sum->correct_per_position().begin(), sum->correct_per_position().end()),
            (std::vector<int64_t>{6, 40}));
  EXPECT_EQ(std::vector<int64_t>(sum->total_per_position().begin(), sum->total_per_position().end()),
            (std::vector<int64_t>{12, 50}));
  EXPECT_EQ(sum->accept_length_sum(), 36);
  EXPECT_EQ(sum->accept_length_count(), 18);
}

TEST(StepReports, TheOrderOfTheDraftersCountsNotThatOfArrival) {
  const double parts[] = {1e16, 1.0, -1e16};  // (1e16 + 1) - 1e16 is 0 in doubles, (1e16 - 1e16) + 1 is 1
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}}) {
    StepReports reports(3, 0);
    for (const int drafter : order) reports.add(drafter, report_of(1, parts[drafter]));
    EXPECT_EQ(reports.next().value().loss_sum(), 0.0);
  }
}

TEST(StepReports, AStepIsGivenOutOnceAllHaveReportedIt) {
  StepReports reports(2, 0);
  EXPECT_FALSE(reports.next());
  reports.add(1, report_of(1, 2));
  EXPECT_FALSE(reports.next());
  reports.add(1, report_of(2, 20));  // one ahead
  EXPECT_FALSE(reports.next());
  reports.add(0, report_of(1, 3));
  EXPECT_EQ(reports.next().value().loss_sum(), 5);
  EXPECT_FALSE(reports.next());
  reports.add(0, report_of(2, 30));
  const std::optional<StepReport> second = reports.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->step(), 2);
  EXPECT_EQ(second->loss_sum(), 50);
  EXPECT_FALSE(reports.next());
}

TEST(StepReports, AResumedRunCountsOn) {
  StepReports reports(1, 10);
  expect_error(ErrorKind::internal, "drafter 0 reported step 10, expected step 11",
               [&] { reports.add(0, report_of(10)); });
  reports.add(0, report_of(11));
  EXPECT_EQ(reports.next().value().step(), 11);
}

TEST(StepReports, RefusesWhatCannotBe) {
  StepReports reports(2, 0);
  const auto refuse = [&](int drafter, int64_t step) {
    expect_error(ErrorKind::internal, "reported step " + std::to_string(step) + ", expected step 1",
                 [&] { reports.add(drafter, report_of(step)); });
  };
  refuse(0, 0);
  refuse(0, 2);
  refuse(-1, 1);
  refuse(2, 1);
  reports.add(0, report_of(1));
  refuse(0, 1);  // twice
  refuse(0, 3);
  reports.add(1, report_of(1));
  EXPECT_TRUE(reports.next()) << "what was refused has left nothing behind";
}

}  // namespace
}  // namespace dflash
