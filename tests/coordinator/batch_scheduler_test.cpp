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
  BatchScheduler scheduler({.total_batches = 100, .queue_depth = 5, .targets = 2});
  std::vector<Grant> grants = scheduler.request(1, 4);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].target, 1);
  EXPECT_EQ(grants[0].sequences, (Sequences{0, 1, 2, 3}));
  grants = scheduler.request(0, 3);  // one place is left
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].sequences, (Sequences{4}));
  EXPECT_TRUE(scheduler.request(1, 2).empty());
  // Target 0 has waited for longer; then they take turns.
  std::vector<int> order;
  for (int64_t sequence = 0; sequence < 4; ++sequence) {
    grants = scheduler.batch_trained(0, sequence);
    ASSERT_EQ(grants.size(), 1u);
    EXPECT_EQ(grants[0].sequences, (Sequences{5 + sequence}));
    order.push_back(grants[0].target);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 0, 1}));
}

TEST(BatchScheduler, WithoutTargetsEverythingIsThereToTrain) {
  BatchScheduler scheduler({.first_sequence = 4, .total_batches = 8, .queue_depth = 1, .targets = 0, .drafters = 2});
  for (const int64_t sequence : {5, 4, 7, 6}) {
    EXPECT_TRUE(scheduler.batch_trained(static_cast<int>(sequence % 2), sequence).empty());
  }
  EXPECT_EQ(error_of([&] { (void)scheduler.batch_trained(0, 8); }).kind(), ErrorKind::internal);
}

TEST(BatchScheduler, TheSlowestDrafterBoundsThemAll) {
  BatchScheduler scheduler({.total_batches = 100, .queue_depth = 4, .targets = 1, .drafters = 2});
  EXPECT_EQ(scheduler.request(0, 50)[0].sequences, (Sequences{0, 1, 2, 3}));
  EXPECT_TRUE(scheduler.batch_trained(1, 1).empty()) << "0 is not trained";
  EXPECT_TRUE(scheduler.batch_trained(1, 3).empty());
  EXPECT_EQ(scheduler.batch_trained(0, 0)[0].sequences, (Sequences{4, 5})) << "0 and 1 are trained, 2 is not";
  EXPECT_EQ(scheduler.batch_trained(0, 2)[0].sequences, (Sequences{6, 7}));
}

TEST(BatchScheduler, AResumedRunBeginsWithItsNextBatch) {
  BatchScheduler scheduler({.first_sequence = 40, .total_batches = 44, .queue_depth = 3, .targets = 1, .drafters = 2});
  EXPECT_EQ(scheduler.request(0, 9)[0].sequences, (Sequences{40, 41, 42}));
  expect_error(ErrorKind::internal, "drafter 0 reported batch 0", [&] { (void)scheduler.batch_trained(0, 0); });
  EXPECT_TRUE(scheduler.batch_trained(1, 41).empty());
  const std::vector<Grant> grants = scheduler.batch_trained(0, 40);
  EXPECT_EQ(grants[0].sequences, (Sequences{43}));
  EXPECT_TRUE(grants[0].last);
}

TEST(BatchScheduler, ARunThatIsDoneHasNoBatches) {
  BatchScheduler scheduler({.first_sequence = 8, .total_batches = 8, .queue_depth = 3, .targets = 1, .drafters = 2});
  const std::vector<Grant> grants = scheduler.request(0, 1);
  EXPECT_TRUE(grants[0].sequences.empty());
  EXPECT_TRUE(grants[0].last);
}

TEST(BatchScheduler, TellsEveryTargetThatAsksOnceThatItWasTheLast) {
  BatchScheduler scheduler({.total_batches = 3, .queue_depth = 10, .targets = 3});
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
  BatchScheduler scheduler({.total_batches = 10, .queue_depth = 3, .targets = 2, .drafters = 2});
  const auto refuse = [](const std::string& complaint, auto&& call) {
    expect_error(ErrorKind::internal, complaint, call);
  };
  refuse("target 2 of 2", [&] { (void)scheduler.request(2, 1); });
  refuse("target -1", [&] { (void)scheduler.request(-1, 1); });
  refuse("asked for 0", [&] { (void)scheduler.request(0, 0); });
  refuse("drafter 2 of 2", [&] { (void)scheduler.batch_trained(2, 0); });
  refuse("drafter -1 of 2", [&] { (void)scheduler.batch_trained(-1, 0); });
  refuse("reported batch 0", [&] { (void)scheduler.batch_trained(0, 0); });  // not granted yet
  (void)scheduler.request(0, 3);
  refuse("reported batch 2 as trained; expected 0", [&] { (void)scheduler.batch_trained(0, 2); });  // not in order
  refuse("drafter 1 reported batch 0", [&] { (void)scheduler.batch_trained(1, 0); });               // another's
  (void)scheduler.batch_trained(0, 0);
  refuse("reported batch 0", [&] { (void)scheduler.batch_trained(0, 0); });  // twice
}

/// A run of targets and drafters that take their turns at random, checked at every turn.
class RandomRun {
 public:
  RandomRun(uint64_t seed, const ScheduleSettings& settings)
      : random_(seed),
        settings_(settings),
        scheduler_(settings),
        targets_(static_cast<size_t>(settings.targets)),
        granted_(settings.first_sequence) {
    for (Target& target : targets_) target.window = pick(1, 4);
    for (int drafter = 0; drafter < settings.drafters; ++drafter) {
      to_train_.push_back(settings.first_sequence + drafter);
    }
  }

  void play() {
    int64_t idle_turns = 0;
    while (!finished()) {
      const size_t who = pick_one(targets_.size() + to_train_.size());
      const bool acted =
          who >= targets_.size() ? train(who - targets_.size()) : (pick(0, 1) == 0 ? ask(who) : compute(who));
      idle_turns = acted ? 0 : idle_turns + 1;
      ASSERT_LT(idle_turns, 10000) << "deadlock with " << granted_ << " batches granted";
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(granted_, settings_.total_batches);
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
  size_t pick_one(size_t of) { return static_cast<size_t>(pick(0, static_cast<int64_t>(of) - 1)); }
  int64_t smallest_untrained() const { return *std::min_element(to_train_.begin(), to_train_.end()); }
  bool finished() const {
    for (const Target& target : targets_) {
      if (!target.told_last) return false;
    }
    return smallest_untrained() >= settings_.total_batches;
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
  bool train(size_t drafter) {
    int64_t& next = to_train_[drafter];
    if (!computed_.contains(next)) return false;
    const int64_t trained = next;
    next += settings_.drafters;
    take(scheduler_.batch_trained(static_cast<int>(drafter), trained));
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
    for (const Target& target : targets_) ASSERT_FALSE(target.told_last && granted_ < settings_.total_batches);
    ASSERT_LE(granted_, std::min(settings_.total_batches, smallest_untrained() + settings_.queue_depth));
  }

  std::mt19937_64 random_;
  const ScheduleSettings settings_;
  BatchScheduler scheduler_;
  std::vector<Target> targets_;
  std::vector<int64_t> to_train_;  // by drafter: its next number
  std::set<int64_t> computed_;
  int64_t granted_;
};

TEST(BatchScheduler, EveryInterleavingCompletesWithinTheBound) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const int drafters = static_cast<int>(1 + random() % 4);
    const ScheduleSettings settings = {
        .first_sequence = drafters * static_cast<int64_t>(seed % 3 == 0 ? random() % 5 : 0),
        .total_batches = drafters * static_cast<int64_t>(5 + random() % 20),
        .queue_depth = static_cast<int64_t>(seed % 4 == 0 ? 1 : 1 + random() % 12),
        .targets = static_cast<int>(1 + random() % 8),
        .drafters = drafters};
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", targets " << settings.targets << ", drafters " << drafters
                                    << ", from " << settings.first_sequence << " to " << settings.total_batches
                                    << ", depth " << settings.queue_depth);
    RandomRun(seed, settings).play();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dflash
