#include "coordinator/step_metrics.h"

#include "common/base/json.h"

namespace dflash {
namespace {

constexpr double kNsPerSecond = 1e9;

std::optional<double> ratio(double sum, double count) {
  if (count == 0) return std::nullopt;
  return sum / count;
}

/// JSON has no infinity and no NaN: nlohmann writes null for both.
Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void add_accuracy(const StepReport& report, StepMetrics& metrics) {
  int64_t correct = 0, total = 0;
  for (int k = 0; k < report.correct_per_position_size() && k < report.total_per_position_size(); ++k) {
    const int64_t correct_here = report.correct_per_position(k), total_here = report.total_per_position(k);
    metrics.acc_per_position.push_back(ratio(static_cast<double>(correct_here), static_cast<double>(total_here)));
    correct += correct_here;
    total += total_here;
  }
  metrics.acc = ratio(static_cast<double>(correct), static_cast<double>(total));
  metrics.accept_len =
      ratio(static_cast<double>(report.accept_length_sum()), static_cast<double>(report.accept_length_count()));
}

}  // namespace

StepMetrics step_metrics(const StepReport& report) {
  StepMetrics metrics;
  metrics.step = report.step();
  metrics.loss = ratio(report.loss_sum(), report.weight_sum());
  metrics.lr = report.lr();
  metrics.grad_norm = report.grad_norm();
  metrics.tokens = report.tokens();
  metrics.supervised_positions = report.supervised_positions();
  metrics.queue_level = report.queue_level();
  metrics.queue_peak = report.queue_peak();
  metrics.skipped = report.skipped();
  metrics.step_s = static_cast<double>(report.step_ns()) / kNsPerSecond;
  metrics.drafter_wait_share =
      ratio(static_cast<double>(report.wait_ns()), static_cast<double>(report.step_ns())).value_or(0);
  metrics.anchor_coverage =
      ratio(static_cast<double>(report.anchors()), static_cast<double>(report.eligible_anchors()));
  add_accuracy(report, metrics);
  return metrics;
}

std::string metrics_line(const StepMetrics& metrics) {
  Json per_position = nullptr;
  if (!metrics.acc_per_position.empty()) {
    per_position = Json::array();
    for (const std::optional<double>& acc : metrics.acc_per_position) per_position.push_back(number_or_null(acc));
  }
  const auto per_second = [&](int64_t count) {
    return number_or_null(ratio(static_cast<double>(count), metrics.step_s));
  };
  const Json line = {{"step", metrics.step},
                     {"loss", number_or_null(metrics.loss)},
                     {"lr", metrics.lr},
                     {"grad_norm", metrics.grad_norm},
                     {"tokens_per_s", per_second(metrics.tokens)},
                     {"queue_level", metrics.queue_level},
                     {"queue_peak", metrics.queue_peak},
                     {"skipped", metrics.skipped},
                     {"acc", number_or_null(metrics.acc)},
                     {"acc_per_position", per_position},
                     {"accept_len", number_or_null(metrics.accept_len)},
                     {"supervised_positions_per_s", per_second(metrics.supervised_positions)},
                     {"anchor_coverage", number_or_null(metrics.anchor_coverage)},
                     {"drafter_wait_share", metrics.drafter_wait_share},
                     {"step_s", metrics.step_s}};
  return line.dump();
}

}  // namespace dflash
