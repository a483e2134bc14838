#include "coordinator/batch_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "tests/support/errors.h"

namespace dflash {
namespace {

using Sequences = std::vector<int64_t>;

TEST(BatchScheduler, ServesWaitingTargetsInTurn) {
  BatchScheduler scheduler(100, 5, 2);
  std::vector<Grant> grants = scheduler.request(1, 4);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].target, 1);
  EXPECT_EQ(grants[0].sequences, (Sequences{0, 1, 2, 3}));
  grants = scheduler.request(0, 3);  // one place is left
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].sequences, (Sequences{4}));
  EXPECT_TRUE(scheduler.request(1, 2).empty());
  EXPECT_EQ(scheduler.in_flight(), 5);
  // Target 0 has waited for longer; then they take turns.
  std::vector<int> order;
  for (int64_t sequence = 0; sequence < 4; ++sequence) {
    grants = scheduler.batch_trained(sequence);
    ASSERT_EQ(grants.size(), 1u);
    EXPECT_EQ(grants[0].sequences, (Sequences{5 + sequence}));
    order.push_back(grants[0].target);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 0, 1}));
}

TEST(BatchScheduler, TellsEveryTargetThatAsksOnceThatItWasTheLast) {
  BatchScheduler scheduler(3, 10, 3);
  std::vector<Grant> grants = scheduler.request(0, 2);
  EXPECT_FALSE(grants[0].last);
  grants = scheduler.request(1, 5);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].sequences, (Sequences{2}));
  EXPECT_TRUE(grants[0].last);
  grants = scheduler.request(2, 1);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_TRUE(grants[0].sequences.empty());
  EXPECT_TRUE(grants[0].last);
  EXPECT_TRUE(scheduler.request(0, 1)[0].last);
  for (int target = 0; target < 3; ++target) EXPECT_TRUE(scheduler.request(target, 1).empty());
}

TEST(BatchScheduler, RefusesWhatCannotBe) {
  BatchScheduler scheduler(10, 2, 2);
  const auto refuse = [](const std::string& complaint, auto&& call) {
    expect_error(ErrorKind::internal, complaint, call);
  };
  refuse("target 2 of 2", [&] { (void)scheduler.request(2, 1); });
  refuse("target -1", [&] { (void)scheduler.request(-1, 1); });
  refuse("asked for 0", [&] { (void)scheduler.request(0, 0); });
  refuse("batch 0 was reported", [&] { (void)scheduler.batch_trained(0); });  // not granted yet
  (void)scheduler.request(0, 2);
  refuse("batch 1 was reported", [&] { (void)scheduler.batch_trained(1); });  // not in order
  (void)scheduler.batch_trained(0);
  refuse("batch 0 was reported", [&] { (void)scheduler.batch_trained(0); });  // twice
}

/// A run of targets and a drafter that take their turns at random, checked at every turn.
class RandomRun {
 public:
  RandomRun(uint64_t seed, int targets, int64_t total, int64_t depth)
      : random_(seed),
        total_(total),
        depth_(depth),
        scheduler_(total, depth, targets),
        targets_(static_cast<size_t>(targets)) {
    for (Target& target : targets_) target.window = pick(1, 4);
  }

  void play() {
    int64_t idle_turns = 0;
    while (!finished()) {
      const size_t who = static_cast<size_t>(pick(0, static_cast<int64_t>(targets_.size())));
      const bool acted = who == targets_.size() ? train() : (pick(0, 1) == 0 ? ask(who) : compute(who));
      idle_turns = acted ? 0 : idle_turns + 1;
      ASSERT_LT(idle_turns, 10000) << "deadlock after " << trained_ << " of " << total_ << " batches";
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(granted_, total_);
    EXPECT_EQ(scheduler_.in_flight(), 0);
  }

 private:
  struct Target {
    int64_t window = 1;
    int64_t wanted = 0;
    std::deque<int64_t> to_compute;
    int64_t newest = -1;
    bool told_last = false;
  };

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  bool finished() const {
    for (const Target& target : targets_) {
      if (!target.told_last) return false;
    }
    return trained_ == total_;
  }
  bool ask(size_t who) {
    Target& target = targets_[who];
    const int64_t room = target.window - target.wanted - static_cast<int64_t>(target.to_compute.size());
    if (target.told_last || room < 1) return false;
    const int64_t count = pick(1, room);
    target.wanted += count;
    take(scheduler_.request(static_cast<int>(who), count));
    return true;
  }
  bool compute(size_t who) {
    if (targets_[who].to_compute.empty()) return false;
    computed_.insert(targets_[who].to_compute.front());
    targets_[who].to_compute.pop_front();
    return true;
  }
  bool train() {
    if (!computed_.contains(trained_)) return false;
    take(scheduler_.batch_trained(trained_++));
    return true;
  }
  void take(const std::vector<Grant>& grants) {
    Sequences all;
    for (const Grant& grant : grants) {
      Target& target = targets_[static_cast<size_t>(grant.target)];
      for (const int64_t sequence : grant.sequences) {
        ASSERT_GT(sequence, target.newest);
        target.newest = sequence;
        target.to_compute.push_back(sequence);
        --target.wanted;
        all.push_back(sequence);
      }
      ASSERT_GE(target.wanted, 0);
      ASSERT_FALSE(grant.last && target.told_last);
      target.told_last |= grant.last;
    }
    std::sort(all.begin(), all.end());
    for (const int64_t sequence : all) ASSERT_EQ(sequence, granted_++);  // exactly once, none left out
    for (const Target& target : targets_) ASSERT_FALSE(target.told_last && granted_ < total_);
    ASSERT_LE(granted_, std::min(total_, trained_ + depth_));
    ASSERT_EQ(scheduler_.in_flight(), granted_ - trained_);
  }

  std::mt19937_64 random_;
  const int64_t total_, depth_;
  BatchScheduler scheduler_;
  std::vector<Target> targets_;
  std::set<int64_t> computed_;
  int64_t granted_ = 0, trained_ = 0;
};

TEST(BatchScheduler, EveryInterleavingCompletesWithinTheBound) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const int targets = static_cast<int>(1 + random() % 8);
    const auto total = static_cast<int64_t>(1 + random() % 60);
    const auto depth = static_cast<int64_t>(seed % 4 == 0 ? 1 : 1 + random() % 12);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", targets " << targets << ", total " << total << ", depth "
                                    << depth);
    RandomRun(seed, targets, total, depth).play();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dflash
