#include "coordinator/batch_scheduler.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

BatchScheduler::BatchScheduler(const ScheduleSettings& settings)
    : settings_(settings),
      next_(settings.targets > 0 ? settings.first_sequence : settings.total_batches),
      targets_(static_cast<size_t>(settings.targets)) {
  for (int drafter = 0; drafter < settings.drafters; ++drafter) {
    next_trained_.push_back(settings.first_sequence + drafter);
  }
}

int64_t BatchScheduler::first_untrained() const {
  return *std::min_element(next_trained_.begin(), next_trained_.end());
}

std::vector<Grant> BatchScheduler::request(int target, int64_t count) {
  if (target < 0 || static_cast<size_t>(target) >= targets_.size() || count < 1) {
    throw Error(ErrorKind::internal, format("target {} of {} asked for {} batches", target, targets_.size(), count));
  }
  Target& asking = targets_[static_cast<size_t>(target)];
  if (asking.told_last) return {};
  if (asking.wanted == 0) waiting_.push_back(target);
  asking.wanted += count;
  return grant();
}

std::vector<Grant> BatchScheduler::batch_trained(int drafter, int64_t sequence) {
  if (drafter < 0 || static_cast<size_t>(drafter) >= next_trained_.size()) {
    throw Error(ErrorKind::internal, format("drafter {} of {} trained a batch", drafter, next_trained_.size()));
  }
  int64_t& expected = next_trained_[static_cast<size_t>(drafter)];
  if (sequence != expected || sequence >= next_) {
    throw Error(ErrorKind::internal, format("drafter {} reported batch {} as trained; expected {}, and {} are granted",
                                            drafter, sequence, expected, next_));
  }
  expected += settings_.drafters;
  return grant();
}

std::vector<Grant> BatchScheduler::grant() {
  std::vector<Grant> of_target(targets_.size());
  while (!waiting_.empty() && next_ < settings_.total_batches && next_ - first_untrained() < settings_.queue_depth) {
    const int target = waiting_.front();
    waiting_.pop_front();
    of_target[static_cast<size_t>(target)].sequences.push_back(next_++);
    if (--targets_[static_cast<size_t>(target)].wanted > 0) waiting_.push_back(target);
  }
  if (next_ == settings_.total_batches) {
    for (const int target : waiting_) {
      of_target[static_cast<size_t>(target)].last = targets_[static_cast<size_t>(target)].told_last = true;
    }
    waiting_.clear();
  }
  std::vector<Grant> grants;
  for (size_t target = 0; target < of_target.size(); ++target) {
    of_target[target].target = static_cast<int>(target);
    if (!of_target[target].sequences.empty() || of_target[target].last) grants.push_back(of_target[target]);
  }
  return grants;
}

}  // namespace dflash
