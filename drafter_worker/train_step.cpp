#include "drafter_worker/train_step.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "common/tensor/torch_device.h"

namespace dflash {

TrainStep::TrainStep(const DrafterModel& drafter, DrafterParameters& parameters, Optimizer& optimizer,
                     const TargetEnds& ends, const BlockRules& rules)
    : drafter_(drafter),
      parameters_(parameters),
      optimizer_(optimizer),
      ends_(ends),
      rules_(rules),
      device_(parameters.values().device()) {
  start_over();
}

void TrainStep::start_over() {
  parameters_.zero_gradients();
  loss_sum_ = at::zeros({}, at::TensorOptions(device_).dtype(at::kDouble));
  weight_sum_ = 0;
  supervised_positions_ = 0;
  spoiled_ = false;
  metrics_.reset();
}

void TrainStep::add_batch(const HiddenStateBatch& batch, std::span<const int64_t> anchors, bool want_metrics) {
  last_loss_.reset();
  if (anchors.empty()) return;
  const BlockBatch blocks = make_block_batch(batch, anchors, rules_, device_);
  const at::Tensor rows = blocks.supervised.flatten().nonzero().squeeze(-1);
  if (rows.numel() == 0) return;

  const at::Tensor embeddings = ends_.embedding.index_select(0, to_device(blocks.block_ids.flatten(), device_));
  const at::Tensor context = drafter_.context_features(batch.captured);
  const at::Tensor hidden = drafter_.forward(context, batch.position_ids, blocks, embeddings);
  const at::Tensor labels = blocks.labels.flatten().index_select(0, rows);
  const at::Tensor weights = blocks.weights.flatten().index_select(0, rows);
  const HeadLoss loss = head_loss(hidden.index_select(0, to_device(rows, device_)), ends_.head,
                                  to_device(labels, device_), to_device(weights, device_), want_metrics);
  loss.sum.backward();  // undivided: the division by the step's weight comes in finish()

  loss_sum_ += loss.sum.detach();
  last_loss_ = to_host_later(loss.sum.detach());
  weight_sum_ += weights.sum(at::kDouble).item<double>();  // host tensors: no device is waited for
  supervised_positions_ += rows.numel();
  if (want_metrics) {
    if (!metrics_) metrics_.emplace(rules_.block_size, device_);
    metrics_->add(blocks, loss.correct);
  }
}

bool TrainStep::last_batch_is_finite() {
  const bool finite = !last_loss_.defined() || std::isfinite(last_loss_.item<double>());
  if (!finite) spoil();
  return finite;
}

StepResult TrainStep::finish(double lr, const SumOverDrafters& sum) {
  at::Tensor grad_norm = at::zeros({}, at::TensorOptions(device_).dtype(at::kFloat));
  if (!std::isfinite(loss_sum_.item<double>())) spoil();  // asked of every batch or not
  // The weight that is not a number tells the other drafters.
  const double own_sum = spoiled_ ? std::numeric_limits<double>::quiet_NaN() : weight_sum_;
  const double weight_sum = sum ? sum(parameters_.gradients(), own_sum) : own_sum;
  if (weight_sum != 0) grad_norm = optimizer_.step(parameters_.gradients(), weight_sum, lr);
  StepResult result = read_scalars(grad_norm);
  result.skipped = !std::isfinite(result.grad_norm);
  result.own_is_bad = spoiled_;
  result.gradients_are_bad = result.skipped && std::isfinite(weight_sum);
  start_over();
  return result;
}

StepResult TrainStep::read_scalars(const at::Tensor& grad_norm) const {
  std::vector<at::Tensor> parts{loss_sum_.view({1}), grad_norm.to(at::kDouble).view({1})};
  if (metrics_) {
    for (const at::Tensor& part : {metrics_->correct, metrics_->total, metrics_->accept_length_sum.view({1}),
                                   metrics_->accept_length_count.view({1})}) {
      parts.push_back(part.to(at::kDouble));
    }
  }
  const at::Tensor scalars = at::cat(parts).cpu();  // the one copy
  const double* value = scalars.const_data_ptr<double>();
  StepResult result;
  result.loss_sum = value[0];
  result.grad_norm = value[1];
  result.weight_sum = weight_sum_;
  result.supervised_positions = supervised_positions_;
  if (!metrics_) return result;
  const int64_t size = rules_.block_size;
  const double *correct = value + 2, *total = correct + size, *accept = total + size;
  result.correct_per_position.assign(correct + 1, correct + size);
  result.total_per_position.assign(total + 1, total + size);
  result.accept_length_sum = static_cast<int64_t>(accept[0]);
  result.accept_length_count = static_cast<int64_t>(accept[1]);
  return result;
}

}  // namespace dflash
