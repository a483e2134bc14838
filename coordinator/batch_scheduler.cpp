#include "coordinator/batch_scheduler.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

BatchScheduler::BatchScheduler(int64_t total_batches, int64_t queue_depth, int targets)
    : total_batches_(total_batches), queue_depth_(queue_depth), targets_(static_cast<size_t>(targets)) {}

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

std::vector<Grant> BatchScheduler::batch_trained(int64_t sequence) {
  if (sequence != trained_ || sequence >= next_) {
    throw Error(ErrorKind::internal,
                format("batch {} was reported as trained; expected {}, and {} are granted", sequence, trained_, next_));
  }
  ++trained_;
  return grant();
}

std::vector<Grant> BatchScheduler::grant() {
  std::vector<Grant> of_target(targets_.size());
  while (!waiting_.empty() && next_ < total_batches_ && in_flight() < queue_depth_) {
    const int target = waiting_.front();
    waiting_.pop_front();
    of_target[static_cast<size_t>(target)].sequences.push_back(next_++);
    if (--targets_[static_cast<size_t>(target)].wanted > 0) waiting_.push_back(target);
  }
  if (next_ == total_batches_) {
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
