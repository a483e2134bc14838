// Batches of several links come out in the order of their sequence numbers, whatever the order of arrival.

#include "drafter_worker/buffered_hs_queue.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "common/channel/lent_slots.h"
#include "common/channel/shm_channel.h"
#include "tests/support/errors.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

const BatchLayout& layout() {
  static const BatchLayout instance = make_batch_layout(16, 4, {1, 2}, DType::f32);
  return instance;
}

/// A receiver that is fed by the test, at the start or later.
class ScriptedReceiver : public Receiver {
 public:
  /// `end`: what comes after the last one.
  ScriptedReceiver(std::deque<int64_t> sequences, ChannelStatus end) : sequences_(std::move(sequences)), end_(end) {}
  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override {
    const std::lock_guard lock(mutex_);
    if (sequences_.empty()) {
      if (end_ == ChannelStatus::timeout)
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(2ms, deadline.remaining()));
      return {end_, ReceivedSlot()};
    }
    slots_.emplace_back(layout().slot_bytes);
    write_batch_header(slots_.back(), layout(), sequences_.front(), 16, {});
    sequences_.pop_front();
    return {ChannelStatus::ok, lent_.lend(slots_.back())};
  }
  size_t waiting_slots() const override { return 0; }
  void feed(int64_t sequence) {
    const std::lock_guard lock(mutex_);
    sequences_.push_back(sequence);
  }
  std::atomic<int> released_ = 0;

 private:
  std::mutex mutex_;
  std::deque<int64_t> sequences_;
  ChannelStatus end_;
  std::deque<std::vector<std::byte>> slots_;
  LentSlots lent_{nullptr, [this] { ++released_; }};
};

/// Links that end, with `end`, or stay silent after their last batch.
struct Scripted {
  explicit Scripted(std::vector<std::pair<std::deque<int64_t>, bool>> scripts,
                    ChannelStatus end = ChannelStatus::end_of_stream, HsQueueSettings settings = {}) {
    std::vector<BufferedHSQueue::Link> links;
    for (auto& [sequences, ends] : scripts) {
      auto receiver = std::make_unique<ScriptedReceiver>(sequences, ends ? end : ChannelStatus::timeout);
      receivers.push_back(receiver.get());
      links.push_back({std::move(receiver), "target " + std::to_string(links.size())});
    }
    queue = std::make_unique<BufferedHSQueue>(std::move(links), layout(), settings);
  }
  std::vector<ScriptedReceiver*> receivers;
  std::unique_ptr<BufferedHSQueue> queue;
};

Deadline soon() {
  return Deadline::after(200ms);
}
Deadline late() {
  return Deadline::after(20s);
}

/// Waits until the queue holds so many.
void expect_level(const BufferedHSQueue& queue, int64_t level) {
  for (const Deadline deadline = late(); queue.level() != level && !deadline.expired();)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(queue.level(), level);
}

TEST(BufferedHSQueue, MergesLinksBySequence) {
  const Scripted scripted({{{0, 3, 4}, true}, {{1, 2, 6}, true}, {{5}, true}});
  for (int64_t sequence = 0; sequence < 7; ++sequence) {
    EXPECT_EQ(scripted.queue->pop(late()).header.sequence, sequence);
  }
  EXPECT_EQ(scripted.queue->level(), 0);
  EXPECT_EQ(scripted.receivers[0]->released_, 3);
  scripted.queue->drain(late());
}

TEST(BufferedHSQueue, TakesTheNumbersOfItsDrafter) {
  const Scripted scripted({{{7, 10, 13}, true}}, ChannelStatus::end_of_stream, {.first_sequence = 7, .drafters = 3});
  for (const int64_t sequence : {7, 10, 13}) EXPECT_EQ(scripted.queue->pop(late()).header.sequence, sequence);
  const Scripted foreign({{{7, 11}, true}}, ChannelStatus::end_of_stream, {.first_sequence = 7, .drafters = 3});
  (void)foreign.queue->pop(late());
  EXPECT_TRUE(says(error_of([&] { (void)foreign.queue->pop(late()); }), {"target 0", "batch 11", "was due"}));
}

/// Of a link that reads files, say.
class BrokenReceiver : public Receiver {
 public:
  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline) override {
    throw Error(ErrorKind::input_file, "a file is missing");
  }
  size_t waiting_slots() const override { return 0; }
};

TEST(BufferedHSQueue, SaysWhereALinksThreadFailed) {
  const Scripted foreign({{{7, 11}, true}, {{}, false}}, ChannelStatus::end_of_stream,
                         {.first_sequence = 7, .drafters = 3});
  (void)foreign.queue->pop(late());
  EXPECT_FALSE(foreign.queue->failed_at()) << "nobody has been told";
  EXPECT_TRUE(says(error_of([&] { (void)foreign.queue->pop(late()); }), {"batch 11"}));
  EXPECT_EQ(foreign.queue->failed_at().value().sequence, 11);
  EXPECT_STREQ(foreign.queue->failed_at()->stage, "put a batch in order");

  std::vector<BufferedHSQueue::Link> links;
  links.push_back({std::make_unique<BrokenReceiver>(), "the recorded folder"});
  BufferedHSQueue broken(std::move(links), layout(), {.first_sequence = 5});
  expect_error(ErrorKind::input_file, "a file is missing", [&] { (void)broken.pop(late()); });
  EXPECT_EQ(broken.failed_at().value().sequence, 5);
  EXPECT_STREQ(broken.failed_at()->stage, "receive a batch");
}

TEST(BufferedHSQueue, OpensWhenEnoughIsReadyAndStaysOpen) {
  Scripted scripted({{{1}, false}, {{0}, false}}, ChannelStatus::timeout, {.min_ready = 3});
  expect_level(*scripted.queue, 2);
  EXPECT_FALSE(scripted.queue->try_pop());
  const Error error = error_of([&] { (void)scripted.queue->pop(soon()); });
  EXPECT_TRUE(says(error, {"batch 0", "2 of the 3 batches to begin with"}));
  scripted.receivers[1]->feed(2);
  for (int64_t sequence = 0; sequence < 3; ++sequence) {
    EXPECT_EQ(scripted.queue->pop(late()).header.sequence, sequence);
  }
  scripted.receivers[0]->feed(3);
  EXPECT_EQ(scripted.queue->pop(late()).header.sequence, 3) << "one is enough later";
}

TEST(BufferedHSQueue, CountsWhatIsReady) {
  const Scripted scripted({{{2, 4}, true}, {{0, 1}, true}});
  expect_level(*scripted.queue, 4);
  (void)scripted.queue->pop(late());
  EXPECT_EQ(scripted.queue->level(), 3) << "what is not due yet still counts";
  EXPECT_EQ(scripted.queue->take_peak(), 4);
  EXPECT_EQ(scripted.queue->take_peak(), 3);
}

TEST(BufferedHSQueue, SaysWhatItWaitedFor) {
  const Scripted scripted({{{1}, false}, {{}, false}});
  const Error error = error_of([&] { (void)scripted.queue->pop(soon()); });
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_TRUE(says(error, {"batch 0", "2 targets"}));
}

TEST(BufferedHSQueue, NamesTheTargetThatIsGone) {
  for (const auto& [status, word] : {std::pair{ChannelStatus::closed, "closed"}, {ChannelStatus::peer_lost, "died"}}) {
    const Scripted scripted({{{0}, true}, {{}, false}}, status);
    (void)scripted.queue->pop(late());
    const Error error = error_of([&] { (void)scripted.queue->pop(late()); });
    EXPECT_EQ(error.kind(), ErrorKind::peer_died);
    EXPECT_TRUE(says(error, {"target 0", word, "batch 1"}));
  }
}

TEST(BufferedHSQueue, RefusesALinkThatGoesBack) {
  const Scripted scripted({{{0, 0}, true}});
  EXPECT_TRUE(says(error_of([&] {
                     (void)scripted.queue->pop(late());
                     (void)scripted.queue->pop(late());
                   }),
                   {"target 0", "sent batch 0", "was due"}));
}

TEST(BufferedHSQueue, NoticesThatABatchCanNoLongerCome) {
  const Scripted scripted({{{0}, true}});
  (void)scripted.queue->pop(late());
  EXPECT_TRUE(says(error_of([&] { (void)scripted.queue->pop(late()); }), {"ended", "batch 1"}));
}

TEST(BufferedHSQueue, DrainRefusesABatchBeyondTheLast) {
  const Scripted scripted({{{0, 1}, true}});
  (void)scripted.queue->pop(late());
  EXPECT_TRUE(says(error_of([&] { scripted.queue->drain(late()); }), {"batch 1", "beyond"}));
}

TEST(BufferedHSQueue, DrainNamesWhoDoesNotEnd) {
  const Scripted scripted({{{}, true}, {{}, false}});
  const Error error = error_of([&] { scripted.queue->drain(soon()); });
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_TRUE(says(error, {"target 1"}));
}

/// A channel of the real kind, with a sender that sends as fast as it can.
TEST(BufferedHSQueue, APausedConsumerBoundsMemoryAndBurnsNoProcessor) {
  constexpr int64_t kBatches = 40;
  constexpr size_t kSlots = 3;
  const ChannelShape shape{layout().slot_bytes, kSlots, layout().hash(), false};
  auto [own, other] = InProcessBootstrap::make_pair();
  std::atomic<int64_t> sent = 0;
  std::thread target([&, &bootstrap = *other] {
    const auto sender = make_shm_sender(shape, bootstrap, late());
    for (int64_t s = 0; s < kBatches; ++s) {
      auto [status, slot] = sender->acquire(late());
      ASSERT_EQ(status, ChannelStatus::ok);
      write_batch_header(slot.bytes(), layout(), s, 16, {});
      ASSERT_EQ(sender->send(std::move(slot)), ChannelStatus::ok);
      ++sent;
    }
    EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
  });
  std::vector<BufferedHSQueue::Link> links;
  links.push_back({make_shm_receiver(shape, *own, late()), "target 0"});
  BufferedHSQueue queue(std::move(links), layout(), {});
  expect_level(queue, kSlots);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  std::this_thread::sleep_for(500ms);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(sent, static_cast<int64_t>(kSlots));
  const auto spent_us =
      (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1'000'000 + after.ru_utime.tv_usec - before.ru_utime.tv_usec;
  EXPECT_LT(spent_us, 50'000) << "of half a second, by all threads together";
  for (int64_t s = 0; s < kBatches; ++s) ASSERT_EQ(queue.pop(late()).header.sequence, s);
  queue.drain(late());
  target.join();
}

}  // namespace
}  // namespace dflash
