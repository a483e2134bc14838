// GradientSync: what the drafters do together: the sum of a step's gradients, and the directive at its boundary.
//
// Threading: the train thread. Errors: Error{stall} naming the drafters that did not take part.
#pragma once

#include <ATen/core/Tensor.h>

#include "common/mpi/worker_main.h"

namespace dflash {

/// What all drafters do at the boundary after a step. The lead drafter (number 0) decides for all.
struct Directive {
  bool save = false;  // the lead writes a checkpoint
  bool stop = false;  // nobody trains any further
};

class GradientSync {
 public:
  /// Every drafter of the run makes one. The worker must outlive it.
  explicit GradientSync(const WorkerContext& worker)
      : worker_(worker), group_(worker.links ? &worker.links->drafters : nullptr) {}

  [[nodiscard]] bool leads() const { return worker_.roles.own_index() == 0; }
  /// See SumOverDrafters (train_step.h): fp32 sums in the order of the drafters, the same bits on each.
  [[nodiscard]] double sum(const at::Tensor& gradients, double weight_sum);
  /// The lead's directive, on every drafter.
  [[nodiscard]] Directive agree(const Directive& of_lead);

 private:
  const WorkerContext& worker_;
  RankGroup* const group_;  // null: this drafter is alone
};

}  // namespace dflash
