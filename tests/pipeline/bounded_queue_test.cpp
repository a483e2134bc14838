#include "common/pipeline/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline now() {
  return Deadline::after(0s);
}
Deadline soon() {
  return Deadline::after(20ms);
}
Deadline late() {
  return Deadline::after(30s);
}
std::exception_ptr error_saying(const char* text) {
  return std::make_exception_ptr(Error(ErrorKind::internal, text));
}

template <typename Call>
std::string what_it_throws(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(BoundedQueue, KeepsTheOrder) {
  BoundedQueue<int> queue(100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(queue.push(int{i}, now()), QueueStatus::ok);
  int item = -1;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(queue.pop(item, now()), QueueStatus::ok);
    EXPECT_EQ(item, i);
  }
}

TEST(BoundedQueue, HoldsNoMoreThanItsCapacity) {
  BoundedQueue<int> queue(2);
  EXPECT_EQ(queue.push(1, now()), QueueStatus::ok);
  EXPECT_EQ(queue.push(2, now()), QueueStatus::ok);
  EXPECT_EQ(queue.push(3, soon()), QueueStatus::timeout);
  EXPECT_EQ(queue.size(), 2U);
  int item = 0;
  EXPECT_EQ(queue.pop(item, now()), QueueStatus::ok);
  EXPECT_EQ(queue.push(3, now()), QueueStatus::ok);
}

TEST(BoundedQueue, RefusesACapacityThatCouldNeverWork) {
  EXPECT_THROW(BoundedQueue<int>(0), Error);
}

TEST(BoundedQueue, AnItemThatWasNotTakenIsUntouched) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_EQ(queue.push(std::make_unique<int>(1), now()), QueueStatus::ok);
  auto item = std::make_unique<int>(2);
  EXPECT_EQ(queue.push(std::move(item), soon()), QueueStatus::timeout);
  ASSERT_NE(item, nullptr);
  queue.close();
  EXPECT_EQ(queue.push(std::move(item), soon()), QueueStatus::closed);
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(*item, 2);
}

TEST(BoundedQueue, PopWaitsUntilTheDeadline) {
  BoundedQueue<int> queue(1);
  int item = 7;
  const auto begin = Deadline::Clock::now();
  EXPECT_EQ(queue.pop(item, soon()), QueueStatus::timeout);
  EXPECT_GE(Deadline::Clock::now() - begin, 20ms);
  EXPECT_EQ(item, 7);
}

TEST(BoundedQueue, WhatIsQueuedIsStillPoppedAfterClose) {
  BoundedQueue<int> queue(2);
  EXPECT_EQ(queue.push(1, now()), QueueStatus::ok);
  queue.close();
  int item = 0;
  EXPECT_EQ(queue.push(2, now()), QueueStatus::closed);
  EXPECT_EQ(queue.pop(item, now()), QueueStatus::ok);
  EXPECT_EQ(item, 1);
  EXPECT_EQ(queue.pop(item, now()), QueueStatus::closed);
}

TEST(BoundedQueue, CloseWakesABlockedProducerAndABlockedConsumer) {
  BoundedQueue<int> full(1);
  BoundedQueue<int> empty(1);
  ASSERT_EQ(full.push(1, now()), QueueStatus::ok);
  std::thread producer([&] { EXPECT_EQ(full.push(2, late()), QueueStatus::closed); });
  std::thread consumer([&] {
    int item = 0;
    EXPECT_EQ(empty.pop(item, late()), QueueStatus::closed);
  });
  std::this_thread::sleep_for(20ms);
  full.close();
  empty.close();
  producer.join();
  consumer.join();
}

TEST(BoundedQueue, AnErrorWakesBothEndsAndSticks) {
  BoundedQueue<int> queue(1);
  ASSERT_EQ(queue.push(1, now()), QueueStatus::ok);
  std::thread producer([&] { EXPECT_EQ(what_it_throws([&] { (void)queue.push(2, late()); }), "the disk burns"); });
  std::this_thread::sleep_for(20ms);
  queue.close(error_saying("the disk burns"));
  producer.join();
  queue.close(error_saying("a later error"));
  queue.close();
  int item = 0;
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(what_it_throws([&] { (void)queue.pop(item, late()); }), "the disk burns");
  EXPECT_EQ(what_it_throws([&] { (void)queue.push(3, late()); }), "the disk burns");
}

TEST(BoundedQueue, AnErrorAfterACleanCloseStillCounts) {
  BoundedQueue<int> queue(1);
  queue.close();
  queue.close(error_saying("too late to be clean"));
  int item = 0;
  EXPECT_EQ(what_it_throws([&] { (void)queue.pop(item, now()); }), "too late to be clean");
}

TEST(BoundedQueue, DroppedItemsAreDestroyedOutsideTheLock) {
  BoundedQueue<std::shared_ptr<void>> queue(1);
  size_t size_seen = 99;
  std::shared_ptr<void> item(nullptr, [&](void*) { size_seen = queue.size(); });  // would lock for ever under the lock
  ASSERT_EQ(queue.push(std::move(item), now()), QueueStatus::ok);
  queue.close(error_saying("x"));
  EXPECT_EQ(size_seen, 0U);
}

TEST(BoundedQueue, AMillionItemsOfThreeProducersReachTwoConsumersOnce) {
  constexpr int kItemCount = 999'999;
  constexpr int kProducers = 3;
  BoundedQueue<int> queue(64);
  std::vector<std::atomic<int>> seen(kItemCount);
  std::vector<std::thread> producers;
  for (int first = 0; first < kProducers; ++first) {
    producers.emplace_back([&, first] {
      for (int i = first; i < kItemCount; i += kProducers) ASSERT_EQ(queue.push(int{i}, late()), QueueStatus::ok);
    });
  }
  std::vector<std::thread> consumers;
  for (int consumer = 0; consumer < 2; ++consumer) {
    consumers.emplace_back([&] {
      int item = 0;
      std::vector<int> last_of_producer(kProducers, -1);
      while (queue.pop(item, late()) == QueueStatus::ok) {
        seen[static_cast<size_t>(item)]++;
        int& last = last_of_producer[static_cast<size_t>(item % kProducers)];
        ASSERT_LT(last, item);  // one producer's items stay in order
        last = item;
      }
    });
  }
  for (auto& thread : producers) thread.join();
  queue.close();
  for (auto& thread : consumers) thread.join();
  for (const auto& count : seen) ASSERT_EQ(count, 1);
}

}  // namespace
}  // namespace dflash
