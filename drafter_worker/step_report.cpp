#include "drafter_worker/step_report.h"

namespace dflash {

StepReport make_step_report(int64_t step, const StepResult& result, const StepCounts& counts, double lr,
                            int64_t step_ns) {
  StepReport report;
  report.set_step(step);
  report.set_loss_sum(result.loss_sum);
  report.set_weight_sum(result.weight_sum);
  report.set_lr(lr);
  report.set_grad_norm(result.grad_norm);
  report.set_tokens(counts.tokens);
  report.set_supervised_positions(result.supervised_positions);
  report.set_anchors(counts.anchors);
  report.set_eligible_anchors(counts.eligible_anchors);
  report.set_queue_level(counts.queue_level);
  report.set_queue_peak(counts.queue_peak);
  report.set_skipped(result.skipped);
  report.set_skipped_batches(counts.skipped_batches);
  report.set_wait_ns(counts.wait_ns);
  report.set_step_ns(step_ns);
  report.mutable_correct_per_position()->Add(result.correct_per_position.begin(), result.correct_per_position.end());
  report.mutable_total_per_position()->Add(result.total_per_position.begin(), result.total_per_position.end());
  if (!result.total_per_position.empty()) {
    report.set_accept_length_sum(result.accept_length_sum);
    report.set_accept_length_count(result.accept_length_count);
  }
  return report;
}

}  // namespace dflash
