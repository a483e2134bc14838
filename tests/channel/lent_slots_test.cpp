// Slots come back in any order and are handed on in one, also from other threads, and to nobody when the end is gone.
#include "common/channel/lent_slots.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace dflash {
namespace {

struct LentSlotsTest : testing::Test {
  [[nodiscard]] ReceivedSlot lend() { return lent->lend(memory); }

  std::array<std::byte, 8> memory{};
  std::atomic<int> taken_back = 0;
  std::unique_ptr<LentSlots> lent = std::make_unique<LentSlots>(nullptr, [this] { ++taken_back; });
};

TEST_F(LentSlotsTest, ASlotWaitsForThoseBeforeIt) {
  std::vector<ReceivedSlot> slots;
  for (int i = 0; i < 4; ++i) slots.push_back(lend());
  slots[1].release();
  slots[3].release();
  EXPECT_EQ(taken_back, 0);
  slots[0].release();
  EXPECT_EQ(taken_back, 2);
  slots[0].release();  // a second time changes nothing
  slots.push_back(lend());
  slots[4].release();
  EXPECT_EQ(taken_back, 2);
  slots[2].release();
  EXPECT_EQ(taken_back, 5);
}

TEST_F(LentSlotsTest, AMovedSlotIsReleasedOnceAndAnAssignedOneAtOnce) {
  ReceivedSlot first = lend();
  ReceivedSlot moved = std::move(first);
  first.release();  // NOLINT: there is nothing left to release
  EXPECT_EQ(taken_back, 0);
  EXPECT_EQ(moved.bytes().data(), memory.data());
  moved = lend();
  EXPECT_EQ(taken_back, 1);
  moved.release();
  EXPECT_EQ(taken_back, 2);
  EXPECT_TRUE(moved.bytes().empty());
}

TEST_F(LentSlotsTest, WhatComesBackLaterIsToldToNobodyAndKeepsItsMemory) {
  const auto ring = std::make_shared<int>(1);
  lent = std::make_unique<LentSlots>(ring, [this] { ++taken_back; });
  ReceivedSlot early = lend();
  ReceivedSlot late = lend();
  early.release();
  lent.reset();
  EXPECT_EQ(ring.use_count(), 2);
  late.release();
  EXPECT_EQ(ring.use_count(), 1);
  EXPECT_EQ(taken_back, 1);
}

TEST_F(LentSlotsTest, ManyThreadsBringThemBack) {
  constexpr int kSlots = 2000;
  std::array<std::vector<ReceivedSlot>, 4> shares;
  for (size_t i = 0; i < kSlots; ++i) shares[i % shares.size()].push_back(lend());
  std::vector<std::thread> threads;
  for (auto& share : shares) {
    threads.emplace_back([&share] {
      while (!share.empty()) share.pop_back();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken_back, kSlots);
}

TEST_F(LentSlotsTest, NoCallIsUnderWayBehindClose) {
  for (int round = 0; round < 200; ++round) {
    auto life = std::make_unique<int>(0);
    auto rounds = std::make_unique<LentSlots>(nullptr, [&life] { ++*life; });
    std::vector<ReceivedSlot> slots;
    for (int i = 0; i < 20; ++i) slots.push_back(rounds->lend(memory));
    std::thread trainer([&slots] { slots.clear(); });
    rounds.reset();
    life.reset();  // a call after this would be seen by a sanitizer
    trainer.join();
  }
}

}  // namespace
}  // namespace dflash
