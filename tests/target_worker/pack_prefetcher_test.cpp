// Leases become packs, in the granted order; what goes wrong reaches the thread that pops.

#include "target_worker/pack_prefetcher.h"

#include <chrono>
#include <thread>

#include "tests/data/document_makers.h"
#include "tests/support/errors.h"
#include "tests/support/test_worker.h"

namespace dflash {
namespace {

/// 40 packs of one document each, told apart by their first token.
Documents documents() {
  return make_documents(std::vector<int64_t>(40, 16));
}

void await_full_queue(PackPrefetcher& prefetcher) {
  const Deadline deadline = late();
  while (prefetcher.packs().size() < kPrefetchedPacks && !deadline.expired()) std::this_thread::yield();
}

TEST(PackPrefetcher, BuildsThePacksOfItsLeases) {
  TestWorker worker;
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({3, 4});
    worker.expect_request(2);
    worker.grant({9});
    worker.expect_request(1);
    worker.grant({41}, true);  // of the second epoch
    EXPECT_TRUE(worker.hears_nothing()) << "it asked for more after the last lease";
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1), same(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  LeasedPack leased;
  for (const int64_t sequence : {3, 4, 9, 41}) {
    ASSERT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::ok);
    EXPECT_EQ(leased.sequence, sequence);
    EXPECT_EQ(leased.pack.input_ids, same.pack(sequence).input_ids);
  }
  EXPECT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::closed);
  prefetcher.join();
}

TEST(PackPrefetcher, ALastGrantMayBeEmpty) {
  TestWorker worker;
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({}, true);
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  LeasedPack leased;
  EXPECT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::closed);
  prefetcher.join();
}

TEST(PackPrefetcher, StallsWhenNoLeaseComes) {
  TestWorker worker(0.2);
  if (worker.is_coordinator()) worker.expect_request(2);
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  LeasedPack leased;
  expect_error(ErrorKind::stall, "no lease from the coordinator",
               [&] { (void)prefetcher.packs().pop(leased, late()); });
}

TEST(PackPrefetcher, RefusesAMessageThatIsNoLease) {
  TestWorker worker;
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    ControlMessage message;
    message.mutable_start();
    worker.send_to(1, message);
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  LeasedPack leased;
  expect_error(ErrorKind::internal, "expected a lease", [&] { (void)prefetcher.packs().pop(leased, late()); });
}

TEST(PackPrefetcher, AStopOfTheRunClosesTheQueue) {
  TestWorker worker(600);
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    ControlMessage message;
    message.mutable_stop();
    worker.send_to(1, message);
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  LeasedPack leased;
  EXPECT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::closed);
  EXPECT_TRUE(worker.context().control.stopped());
}

TEST(PackPrefetcher, ItsOwnerMayLeaveWhileItWaits) {
  TestWorker worker(600);  // longer than the test may take: the destructor must wake the thread
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({0, 1});
    worker.expect_request(2);  // never answered
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  LeasedPack leased;
  ASSERT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::ok);
  ASSERT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::ok);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // by then it has asked for more, and waits
}

TEST(PackPrefetcher, ItsOwnerMayLeaveWhileTheQueueIsFull) {
  TestWorker worker(600);
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({0, 1, 2, 3});
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  await_full_queue(prefetcher);
  EXPECT_EQ(prefetcher.packs().size(), kPrefetchedPacks);
}

TEST(PackPrefetcher, JoinEndsAThreadThatHasMoreThanIsWanted) {
  TestWorker worker(600);
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({0, 1, 2, 3});
  }
  if (!worker.is_target()) return;
  PreloadedDataset dataset(documents(), 16, 1);
  PackPrefetcher prefetcher(worker.context(), dataset);
  await_full_queue(prefetcher);
  LeasedPack leased;
  ASSERT_EQ(prefetcher.packs().pop(leased, late()), QueueStatus::ok);  // lets the thread push one of its two others
  prefetcher.join();
}

}  // namespace
}  // namespace dflash
