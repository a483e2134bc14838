// Batches of several links come out in the order of their sequence numbers, whatever the order of arrival.

#include "drafter_worker/batch_receiver.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "common/data/batch_layout.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

const BatchLayout& layout() {
  static const BatchLayout instance = make_batch_layout(16, 4, {1, 2}, DType::f32);
  return instance;
}

/// A receiver that is fed by the test.
class ScriptedReceiver : public Receiver, public SlotOwner {
 public:
  /// `end`: what comes after the last one.
  explicit ScriptedReceiver(std::deque<int64_t> sequences, ChannelStatus end)
      : sequences_(std::move(sequences)), end_(end) {}
  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline) override {
    if (sequences_.empty()) return {end_, ReceivedSlot()};
    slots_.emplace_back(layout().slot_bytes);
    write_batch_header(slots_.back(), layout(), sequences_.front(), 16);
    sequences_.pop_front();
    return {ChannelStatus::ok, ReceivedSlot(slots_.back(), this)};
  }
  size_t waiting_slots() const override { return sequences_.size(); }
  void release_slot() noexcept override { ++released_; }
  int released_ = 0;

 private:
  std::deque<int64_t> sequences_;
  ChannelStatus end_;
  std::deque<std::vector<std::byte>> slots_;
};

/// Links that end, with `end`, or stay silent after their last batch.
BatchReceiver receiver_of(std::vector<std::pair<std::deque<int64_t>, bool>> scripts,
                          ChannelStatus end = ChannelStatus::end_of_stream) {
  std::vector<BatchReceiver::Link> links;
  for (auto& [sequences, ends] : scripts) {
    links.push_back({std::make_unique<ScriptedReceiver>(sequences, ends ? end : ChannelStatus::timeout),
                     "target " + std::to_string(links.size())});
  }
  return {std::move(links), layout()};
}

Deadline soon() {
  return Deadline::after(std::chrono::milliseconds(50));
}

TEST(BatchReceiver, MergesLinksBySequence) {
  BatchReceiver batches = receiver_of({{{0, 3, 4}, true}, {{1, 2, 6}, true}, {{5}, true}});
  for (int64_t sequence = 0; sequence < 7; ++sequence)
    EXPECT_EQ(batches.receive(sequence, soon()).batch.sequence, sequence);
  EXPECT_EQ(batches.level(), 0);
  batches.drain(soon());
}

TEST(BatchReceiver, CountsWhatWaits) {
  BatchReceiver batches = receiver_of({{{2, 4}, true}, {{0, 1}, true}});
  EXPECT_EQ(batches.level(), 4);
  (void)batches.receive(0, soon());
  EXPECT_EQ(batches.level(), 3) << "a head that is not due yet still counts";
}

TEST(BatchReceiver, SaysWhatItWaitedFor) {
  BatchReceiver batches = receiver_of({{{1}, false}, {{}, false}});
  const Error error = error_of([&] { (void)batches.receive(0, soon()); });
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_TRUE(says(error, {"batch 0", "2 targets"}));
}

TEST(BatchReceiver, NamesTheTargetThatIsGone) {
  for (const auto& [status, word] : {std::pair{ChannelStatus::closed, "closed"}, {ChannelStatus::peer_lost, "died"}}) {
    BatchReceiver batches = receiver_of({{{0}, true}, {{}, false}}, status);
    (void)batches.receive(0, soon());
    const Error error = error_of([&] { (void)batches.receive(1, soon()); });
    EXPECT_EQ(error.kind(), ErrorKind::peer_died);
    EXPECT_TRUE(says(error, {"target 0", word, "batch 1"}));
  }
}

TEST(BatchReceiver, RefusesALinkThatGoesBack) {
  BatchReceiver batches = receiver_of({{{0, 0}, true}});
  (void)batches.receive(0, soon());
  EXPECT_TRUE(says(error_of([&] { (void)batches.receive(1, soon()); }), {"target 0", "batch 0", "1 was due"}));
}

TEST(BatchReceiver, NoticesThatABatchCanNoLongerCome) {
  BatchReceiver batches = receiver_of({{{0}, true}});
  (void)batches.receive(0, soon());
  EXPECT_TRUE(says(error_of([&] { (void)batches.receive(1, soon()); }), {"ended", "batch 1"}));
  BatchReceiver beyond = receiver_of({{{1}, false}});
  EXPECT_TRUE(says(error_of([&] { (void)beyond.receive(0, soon()); }), {"beyond", "batch 0"}));
}

TEST(BatchReceiver, DrainRefusesABatchBeyondTheLast) {
  BatchReceiver batches = receiver_of({{{0, 1}, true}});
  (void)batches.receive(0, soon());
  EXPECT_TRUE(says(error_of([&] { batches.drain(soon()); }), {"batch"}));
}

}  // namespace
}  // namespace dflash
