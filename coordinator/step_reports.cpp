#include "coordinator/step_reports.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

template <typename Field>
void add_by_position(Field& sum, const Field& values) {
  if (sum.size() < values.size()) sum.Resize(values.size(), 0);
  for (int k = 0; k < values.size(); ++k) sum[k] += values[k];
}

void add_to(StepReport& sum, const StepReport& report) {
  sum.set_loss_sum(sum.loss_sum() + report.loss_sum());
  sum.set_weight_sum(sum.weight_sum() + report.weight_sum());
  sum.set_tokens(sum.tokens() + report.tokens());
  sum.set_supervised_positions(sum.supervised_positions() + report.supervised_positions());
  sum.set_anchors(sum.anchors() + report.anchors());
  sum.set_eligible_anchors(sum.eligible_anchors() + report.eligible_anchors());
  sum.set_queue_level(sum.queue_level() + report.queue_level());
  sum.set_queue_peak(sum.queue_peak() + report.queue_peak());
  sum.set_skipped(sum.skipped() || report.skipped());
  sum.set_skipped_batches(sum.skipped_batches() + report.skipped_batches());
  sum.set_wait_ns(sum.wait_ns() + report.wait_ns());
  sum.set_step_ns(std::max(sum.step_ns(), report.step_ns()));
  add_by_position(*sum.mutable_correct_per_position(), report.correct_per_position());
  add_by_position(*sum.mutable_total_per_position(), report.total_per_position());
  sum.set_accept_length_sum(sum.accept_length_sum() + report.accept_length_sum());
  sum.set_accept_length_count(sum.accept_length_count() + report.accept_length_count());
}

}  // namespace

void StepReports::add(int drafter, const StepReport& report) {
  const int64_t ahead = report.step() - added_up_ - 1;
  if (ahead == static_cast<int64_t>(open_.size())) open_.emplace_back(drafters_);
  const bool expected = ahead >= 0 && ahead < static_cast<int64_t>(open_.size()) && drafter >= 0 && drafter < drafters_;
  if (!expected || open_[static_cast<size_t>(ahead)][static_cast<size_t>(drafter)]) {
    throw Error(ErrorKind::internal,
                format("drafter {} reported step {}, expected step {}", drafter, report.step(), added_up_ + 1));
  }
  open_[static_cast<size_t>(ahead)][static_cast<size_t>(drafter)] = report;
}

std::optional<StepReport> StepReports::next() {
  if (open_.empty()) return std::nullopt;
  const OfOneStep& reports = open_.front();
  if (!std::all_of(reports.begin(), reports.end(), [](const auto& report) { return report.has_value(); })) {
    return std::nullopt;
  }
  StepReport sum = *reports.front();
  for (size_t drafter = 1; drafter < reports.size(); ++drafter) add_to(sum, *reports[drafter]);
  sum.set_wait_ns(sum.wait_ns() / drafters_);
  open_.pop_front();
  ++added_up_;
  return sum;
}

}  // namespace dflash
