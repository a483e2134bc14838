// What the simulated device alone promises. (That mistakes show on it: mutation_test.cpp.)
#include <cmath>
#include <set>

#include "tests/device/sim_bench.h"

namespace dflash {
namespace {

TEST(SimDevice, FreshMemoryIsNanWhateverItIsReadAs) {
  SimBench bench;
  const Landed<Buffer> buffer = take(bench.host);
  for (size_t i = 0; i + 4 <= 1000; i += 4) {
    float number = 0;
    uint16_t half = 0;
    std::memcpy(&number, &buffer.host_view()[i], sizeof number);
    std::memcpy(&half, &buffer.host_view()[i], sizeof half);
    ASSERT_TRUE(std::isnan(number)) << i;
    ASSERT_EQ(half, 0x7FC1) << i;  // NaN as bf16 (exponent 0x7F80) and as fp16 (0x7C00)
  }
}

TEST(SimDevice, FreedBlocksRestBeforeTheyAreUsedAgain) {
  SimOptions options;
  options.resting_blocks = 3;
  Device device = Device::sim(options);
  Pool pool = host_pool(device, 1);
  std::set<const std::byte*> places;
  for (int i = 0; i < 4; ++i) {
    const Landed<Buffer> buffer = take(pool);
    places.insert(buffer.host_view().data());
  }
  EXPECT_EQ(places.size(), 4U);
}

TEST(SimDevice, ALandThatTimesOutNamesTheStreamAndMayBeTriedAgain) {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  auto copy = copy_async(bench.copies, take_written(bench.host, 1), take(bench.host));
  EXPECT_FALSE(copy.passed());
  expect_error(ErrorKind::stall, "device stream 'copies' had not passed operation 1 after another",
               [&] { static_cast<void>(std::move(copy).land(soon())); });
  bench.gate->open(SimWork::copy);
  auto sides = std::move(copy).land(late());  // NOLINT: a land() that throws has changed nothing
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 1), 0U);
}

TEST(SimDevice, WhatIsDroppedInFlightIsHeldUntilItIsDone) {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  static_cast<void>(copy_async(bench.copies, take_written(bench.host, 1), take(bench.there)));
  EXPECT_EQ(bench.device.stats().held_now, 1U);
  EXPECT_FALSE(bench.device.drain(soon()));
  EXPECT_EQ(bench.host.free_count(), 3U);
  bench.gate->open(SimWork::copy);
  EXPECT_TRUE(bench.device.drain(late()));
  EXPECT_TRUE(bench.all_free());
  EXPECT_EQ(bench.device.stats().held_now, 0U);
}

TEST(SimDevice, AStreamThatStandsStillDoesNotHoldUpWhatOthersDropped) {
  SimBench bench;
  bench.gate->close(SimWork::compute);
  OnStream<Buffer> stuck = take(bench.there).on(bench.kernels);
  launch(bench.kernels, [](std::span<std::byte>) {}, stuck);
  {
    const OnStream<Buffer> dropped = std::move(stuck);
  }
  static_cast<void>(copy_async(bench.copies, take_written(bench.host, 1), take(bench.host)));
  EXPECT_TRUE(comes_true([&] { return bench.host.free_count() == 4; }));
  EXPECT_EQ(bench.device.stats().held_now, 1U);
}

TEST(SimDevice, AnInjectedFailureReachesWhoWaits) {
  SimOptions options;
  options.fail_operation = 1;
  SimBench bench(options);
  auto first = copy_async(bench.copies, take_written(bench.host, 1), take(bench.host));
  auto second = copy_async(bench.copies, take_written(bench.host, 2), bench.ring->lend());
  auto sides = std::move(first).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 1), 0U);
  expect_error(ErrorKind::internal, "operation 1 of the simulated device fails, as asked",
               [&] { static_cast<void>(std::move(second).land(late())); });
}

TEST(SimDevice, AStalledEngineDoesNotStopTheOthers) {
  SimOptions options;
  options.stall_operation = 0;
  options.stall = 1000ms;
  SimBench bench(options);
  auto copy = copy_async(bench.copies, take_written(bench.host, 1), take(bench.host));
  launch(bench.kernels, [] {});
  bench.kernels.record().wait(late());
  EXPECT_FALSE(copy.passed());
  static_cast<void>(std::move(copy).land(late()));
}

std::vector<int> order_of_kernels(bool reorder) {
  SimOptions options;
  options.reorder = reorder;
  SimBench bench(options);
  bench.gate->close(SimWork::compute);
  std::vector<int> order;  // one compute engine: one kernel at a time
  for (int i = 0; i < 40; ++i) {
    launch(i % 2 == 0 ? bench.copies : bench.kernels, [&order, i] { order.push_back(i); });
  }
  bench.gate->open(SimWork::compute);
  bench.copies.record().wait(late());
  bench.kernels.record().wait(late());
  return order;
}

TEST(SimDevice, StreamsOvertakeEachOtherWhenAsked) {
  const std::vector<int> straight = order_of_kernels(false);
  const std::vector<int> mixed = order_of_kernels(true);
  ASSERT_EQ(straight.size(), 40U);
  ASSERT_EQ(mixed.size(), 40U);
  EXPECT_TRUE(std::is_sorted(straight.begin(), straight.end()));
  EXPECT_FALSE(std::is_sorted(mixed.begin(), mixed.end()));
  for (const int parity : {0, 1}) {  // within a stream never
    std::vector<int> own;
    std::copy_if(mixed.begin(), mixed.end(), std::back_inserter(own), [parity](int i) { return i % 2 == parity; });
    EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
  }
}

TEST(SimDevice, CopiesInPiecesAreWhole) {
  SimOptions options;
  options.chunk_bytes = 7;
  SimBench bench(options);
  for (size_t size_bytes = 1; size_bytes < 60; ++size_bytes) {
    const CopyRange range{.from_byte = 3, .to_byte = 5, .size_bytes = size_bytes};
    auto [from, to] =
        copy_async(bench.copies, take_written(bench.host, 1), take_written(bench.host, 2), range).land(late());
    size_t wrong = 0;
    for (size_t i = 0; i < 1000; ++i) {
      wrong += to.host_view()[i] != (i >= 5 && i < 5 + size_bytes ? byte_of(1, i - 2) : byte_of(2, i));
    }
    EXPECT_EQ(wrong, 0U) << size_bytes;
  }
}

TEST(SimDevice, ClosingWaitsForWhatWasDropped) {
  const auto gate = std::make_shared<SimGate>();
  const auto ring = std::make_shared<TestRing>();
  SimOptions options;
  options.gate = gate;
  auto device = std::make_unique<Device>(Device::sim(options));
  Pool host = host_pool(*device, 1);
  Stream copies = device->make_stream("copies");
  gate->close(SimWork::copy);
  static_cast<void>(copy_async(copies, take_written(host, 1), ring->lend()));
  std::thread opener([&] {
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(ring->landed(), 0);
    gate->open_all();
  });
  device.reset();
  EXPECT_EQ(ring->landed(), 1);
  opener.join();
}

}  // namespace
}  // namespace dflash
