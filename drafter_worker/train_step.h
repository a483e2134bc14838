// TrainStep: one optimizer step of the drafter, from hidden-state batches to new weights.
//
//   for each micro-step: step.add_batch(batch, anchors, metrics)    forward, loss, backward: gradients add up
//                        step.last_batch_is_finite()                once the device is past that
//   StepResult result = step.finish(lr, sum_over_drafters)          sum, divide by the summed weights, clip, AdamW
//
// A step with a number that is not finite, on any drafter, changes no weight: all drafters see it in the sum and skip
// it.
//
// The loss is normalised over all batches of the step, those of the other drafters too: sum(weight * loss) /
// sum(weight). Every drafter takes the same update. All scalars leave the device in one copy. Threading: one thread.
// Owns nothing but the sums.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "common/model/drafter_model.h"
#include "common/model/head_loss.h"
#include "common/model/target_model.h"
#include "common/train/block_metrics.h"
#include "common/train/optimizer.h"

namespace dflash {

/// Adds up, in place, the undivided gradients [P] of all drafters; given the own weight, returns that of all of them.
using SumOverDrafters = std::function<double(const at::Tensor& gradients, double weight_sum)>;

/// Sums over this drafter's own batches; grad_norm is that of the whole step.
struct StepResult {
  double loss_sum = 0;
  double weight_sum = 0;
  double grad_norm = 0;            // before clipping; 0 when there was nothing to train on
  bool skipped = false;            // the sum over all drafters was not finite
  bool own_is_bad = false;         // of it, what came from this drafter's batches
  bool gradients_are_bad = false;  // every drafter's losses were finite, and the sum of their gradients was not
  int64_t supervised_positions = 0;
  // Empty and 0 without metrics.
  std::vector<int64_t> correct_per_position;  // position 1 .. B-1
  std::vector<int64_t> total_per_position;
  int64_t accept_length_sum = 0;
  int64_t accept_length_count = 0;
};

class TrainStep {
 public:
  /// All must outlive the step. `ends` are in the dtype of the parameters.
  TrainStep(const DrafterModel& drafter, DrafterParameters& parameters, Optimizer& optimizer, const TargetEnds& ends,
            const BlockRules& rules);

  /// `anchors`: ascending rows of the pack; with none the batch adds nothing. Does not wait for the device; the batch's
  /// slot may go when the device is past it.
  void add_batch(const HiddenStateBatch& batch, std::span<const int64_t> anchors, bool want_metrics);
  /// False when the loss of the last batch is not finite: the step will be skipped. To be asked when the device is past
  /// that batch; before that the answer is of no worth (finish() skips such a step all the same).
  [[nodiscard]] bool last_batch_is_finite();
  /// The step will be skipped: a batch of it is not fit to train on.
  void spoil() { spoiled_ = true; }
  /// Updates the parameters (not when the weight summed over all drafters is 0) and starts the next step. A drafter
  /// whose batches added nothing takes part in the sum all the same. Without `sum` there is no other drafter.
  [[nodiscard]] StepResult finish(double lr, const SumOverDrafters& sum = nullptr);

 private:
  void start_over();
  [[nodiscard]] StepResult read_scalars(const at::Tensor& grad_norm) const;

  const DrafterModel& drafter_;
  DrafterParameters& parameters_;
  Optimizer& optimizer_;
  const TargetEnds& ends_;
  BlockRules rules_;

  at::Device device_;
  at::Tensor loss_sum_;   // [] double, on the device
  at::Tensor last_loss_;  // [] of the last batch, on the host; undefined when it added nothing
  double weight_sum_ = 0;
  int64_t supervised_positions_ = 0;
  bool spoiled_ = false;
  std::optional<BlockMetrics> metrics_;
};

}  // namespace dflash
