#include "drafter_worker/gradient_sync.h"

#include <ATen/ATen.h>

#include <span>

namespace dflash {

double GradientSync::sum(const at::Tensor& gradients, double weight_sum) {
  if (group_ == nullptr) return weight_sum;
  worker_.where().enter("sum gradients");
  const Deadline deadline = worker_.stall_deadline();
  const at::Tensor host = gradients.cpu();  // themselves, when they lie there
  const std::span<float> values(host.data_ptr<float>(), static_cast<size_t>(host.numel()));
  group_->sum(values, "sum of gradients", deadline);
  if (!gradients.is_cpu()) gradients.copy_(host);
  return group_->sum(weight_sum, "sum of weights", deadline);
}

Directive GradientSync::agree(const Directive& of_lead) {
  if (group_ == nullptr) return of_lead;
  worker_.where().enter("agree on what comes next");
  const std::string text = {of_lead.save ? 's' : '-', of_lead.stop ? 'e' : '-'};
  const std::string agreed = group_->broadcast(text, "the lead drafter's directive", worker_.stall_deadline());
  return {.save = agreed.at(0) == 's', .stop = agreed.at(1) == 'e'};
}

}  // namespace dflash
