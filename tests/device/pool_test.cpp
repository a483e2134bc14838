#include <set>

#include "tests/device/device_kinds.h"

namespace dflash {
namespace {

using PoolTest = DeviceTest;
INSTANTIATE_TEST_SUITE_P(Devices, PoolTest, testing::ValuesIn(every_device()), device_name);

TEST_P(PoolTest, GivesEachBlockOnceAndNoMoreThanItHas) {
  Pool pool = host_pool(device_, 3);
  std::vector<Landed<Buffer>> buffers;
  std::set<const std::byte*> places;
  for (size_t i = 0; i < 3; ++i) {
    buffers.push_back(take(pool));
    places.insert(buffers.back().host_view().data());
    EXPECT_EQ(buffers.back()->size_bytes(), 1000U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers.back().host_view().data()) % 64, 0U);
  }
  EXPECT_EQ(places.size(), 3U);
  EXPECT_EQ(pool.free_count(), 0U);
  EXPECT_FALSE(pool.take(soon()));
  buffers.pop_back();
  EXPECT_EQ(pool.free_count(), 1U);
  EXPECT_TRUE(pool.take(now()));
}

TEST_P(PoolTest, TheRingOfFreeBlocksWrapsWithoutLosingAny) {
  Pool pool = host_pool(device_, 3);
  for (size_t round = 0; round < 50; ++round) {
    Landed<Buffer> a = take_written(pool, round);
    Landed<Buffer> b = take_written(pool, round + 1);
    EXPECT_EQ(wrong_bytes(a.host_view(), round), 0U);
    EXPECT_EQ(wrong_bytes(b.host_view(), round + 1), 0U);
  }
  EXPECT_EQ(pool.free_count(), 3U);
}

TEST_P(PoolTest, ABlockedTakeIsWokenByTheBlockThatComesBack) {
  Pool pool = host_pool(device_, 1);
  std::optional<Landed<Buffer>> only = take(pool);
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    only.reset();
  });
  EXPECT_TRUE(pool.take(late()));
  other.join();
}

TEST_P(PoolTest, OnlyMakingAPoolCallsTheAllocator) {
  EXPECT_EQ(device_.stats().allocator_calls, 0U);
  Pool host = host_pool(device_, 2);
  Pool there = device_pool(device_, 2);
  Stream stream = device_.make_stream("copies");
  const DeviceStats before = device_.stats();
  EXPECT_GE(before.allocator_calls, 4U);
  EXPECT_GE(before.allocated_bytes, 4000U);
  for (size_t step = 0; step < 20; ++step) {
    auto filled = copy_async(stream, take_written(host, step), take(there)).then(stream);
    auto back = copy_async(stream, std::move(filled), take(host)).land(late());
    EXPECT_EQ(wrong_bytes(back.second.host_view(), step), 0U);
  }
  EXPECT_EQ(device_.stats().allocator_calls, before.allocator_calls);
  EXPECT_EQ(device_.stats().lost_blocks, 0U);
}

TEST_P(PoolTest, ItsMemoryGoesWithTheLastOfPoolAndBuffers) {
  auto pool = std::make_unique<Pool>(host_pool(device_, 1));
  std::optional<Landed<Buffer>> buffer = take_written(*pool, 5);
  pool.reset();
  EXPECT_EQ(wrong_bytes(buffer->host_view(), 5), 0U);
  EXPECT_GT(device_.stats().allocated_bytes, 0U);
  buffer.reset();
  EXPECT_EQ(device_.stats().allocated_bytes, 0U);
}

TEST_P(PoolTest, BuffersAndStreamsMayOutliveTheDevice) {
  auto device = std::make_unique<Device>(GetParam().make());
  Pool pool = host_pool(*device, 2);
  Stream stream = device->make_stream("copies");
  Landed<Buffer> from = take_written(pool, 1);
  Landed<Buffer> to = take(pool);
  device.reset();
  auto sides = copy_async(stream, std::move(from), std::move(to)).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 1), 0U);
}

TEST_P(PoolTest, RefusesAShapeThatCouldNeverWork) {
  expect_error(ErrorKind::internal, "pool 'none' of 0 blocks of 8 bytes",
               [&] { static_cast<void>(device_.make_pool({"none", MemoryKind::plain, 8, 0})); });
  expect_error(ErrorKind::internal, "of 2 blocks of 0 bytes",
               [&] { static_cast<void>(device_.make_pool({"none", MemoryKind::plain, 0, 2})); });
}

TEST_P(PoolTest, DeviceMemoryHasNoHostView) {
  Pool pool = device_pool(device_, 1);
  Landed<Buffer> buffer = take(pool);
  expect_error(ErrorKind::internal, "copy it to pinned memory", [&] { static_cast<void>(buffer.host_view()); });
}

TEST_P(PoolTest, WhatWasMovedFromHasNoView) {
  Pool pool = host_pool(device_, 2);
  Landed<Buffer> buffer = take(pool);
  const Landed<Buffer> moved = std::move(buffer);
  expect_error(ErrorKind::internal, "handed over", [&] { static_cast<void>(buffer.host_view()); });  // NOLINT
  EXPECT_EQ(moved.host_view().size(), 1000U);
  buffer = take(pool);  // and may be used again
  EXPECT_EQ(buffer.host_view().size(), 1000U);
}

TEST_P(PoolTest, AssignmentGivesTheOldBlockBack) {
  Pool pool = host_pool(device_, 2);
  Landed<Buffer> buffer = take_written(pool, 1);
  buffer = take_written(pool, 2);
  EXPECT_EQ(pool.free_count(), 1U);
  EXPECT_EQ(wrong_bytes(buffer.host_view(), 2), 0U);
}

}  // namespace
}  // namespace dflash
