#include <atomic>
#include <optional>
#include <thread>

#include "tests/device/device_kinds.h"

namespace dflash {
namespace {

class StreamTest : public DeviceTest {
 protected:
  Pool host_ = host_pool(device_, 4);
  Pool there_ = device_pool(device_, 2);
  Stream stream_ = device_.make_stream("first");
  Stream other_ = device_.make_stream("second");
};
INSTANTIATE_TEST_SUITE_P(Devices, StreamTest, testing::ValuesIn(every_device()), device_name);

TEST_P(StreamTest, AnEmptyStreamHasPassedEverything) {
  const Fence fence = stream_.record();
  fence.wait(late());
  EXPECT_TRUE(fence.passed());
  EXPECT_FALSE(fence.failed());
  EXPECT_EQ(stream_.name(), "first");
}

TEST_P(StreamTest, DoesItsWorkInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 50; ++i) launch(stream_, on_host([&order, i] { order.push_back(i); }));
  stream_.record().wait(late());
  ASSERT_EQ(order.size(), 50U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(StreamTest, WaitsForAFenceOfAnotherStream) {
  for (size_t round = 0; round < 20; ++round) {
    size_t value = 0;  // plain: the fences order the accesses
    launch(stream_, on_host([&value, round] {
             std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
             value = round + 1;
           }));
    other_.wait(stream_.record());
    size_t seen = 0;
    launch(other_, on_host([&value, &seen] { seen = value; }));
    other_.record().wait(late());
    EXPECT_EQ(seen, round + 1);
  }
}

TEST_P(StreamTest, AKernelWorksOnWhatItWasGiven) {
  OnStream<Buffer> on = copy_async(stream_, take_written(host_, 1), take(host_)).then(stream_);
  OnStream<Buffer> second = take(host_).on(stream_);
  launch(stream_, on_host([](std::span<std::byte> from, std::span<std::byte> to) {
           for (size_t i = 0; i < to.size(); ++i) to[i] = from[from.size() - 1 - i];
         }),
         on, second);
  const Landed<Buffer> result = std::move(second).land(late());
  size_t wrong = 0;
  for (size_t i = 0; i < 1000; ++i) wrong += result.host_view()[i] != byte_of(1, 999 - i);
  EXPECT_EQ(wrong, 0U);
}

TEST_P(StreamTest, WhatAKernelUsesIsFreeWhenTheKernelIsDone) {
  std::atomic<bool> done = false;
  {
    OnStream<Buffer> buffer = take_written(host_, 1).on(stream_);
    launch(stream_, on_host([&done](std::span<std::byte> bytes) {
             std::this_thread::sleep_for(5ms);
             if (wrong_bytes(bytes, 1) == 0) done = true;
           }),
           buffer);
  }
  EXPECT_TRUE(comes_true([&] { return host_.free_count() == 4; }));
  EXPECT_TRUE(done);
}

TEST_P(StreamTest, AKernelIsRefusedWhatBelongsToAnotherStream) {
  OnStream<Buffer> buffer = take(host_).on(other_);
  expect_error(ErrorKind::internal, "hand it over with then()",
               [&] { launch(stream_, [](std::span<std::byte>) { FAIL() << "it ran"; }, buffer); });
  OnStream<Buffer> moved = std::move(buffer).then(stream_);
  launch(stream_, on_host([](std::span<std::byte> bytes) { write(bytes, 8); }), moved);
  const Landed<Buffer> landed = std::move(moved).land(late());
  EXPECT_EQ(wrong_bytes(landed.host_view(), 8), 0U);
}

/// A kernel of `stream` that another thread launches and that stands still until it is let go.
class StandingKernel {
 public:
  explicit StandingKernel(
      Stream& stream, std::function<void()> last = [] {})
      : thread_([&stream, state = state_, last = std::move(last)] {
          launch(stream, on_host([state, last] {
                   state->began = true;
                   while (!state->open) std::this_thread::sleep_for(200us);
                   last();
                 }));
        }) {
    EXPECT_TRUE(comes_true([this] { return state_->began.load(); }));
  }
  ~StandingKernel() {
    let_go();
    thread_.join();
  }
  StandingKernel(const StandingKernel&) = delete;
  StandingKernel& operator=(const StandingKernel&) = delete;
  void let_go() { state_->open = true; }

 private:
  struct State {
    std::atomic<bool> began = false;
    std::atomic<bool> open = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();  // the kernel's too: it may end later
  std::thread thread_;
};

TEST_P(StreamTest, HandingOnToAStreamThatIsBusyDoesNotBlock) {
  std::optional<OnStream<Buffer>> there;
  std::optional<Fence> fence;
  {
    StandingKernel busy(other_);
    there = copy_async(stream_, take_written(host_, 1), take(there_)).then(other_);
    fence = other_.record();
    EXPECT_FALSE(fence->passed());
    expect_error(ErrorKind::stall, "device stream 'second' had not passed", [&] { fence->wait(soon()); });
  }
  fence->wait(late());
  auto sides = copy_async(other_, std::move(*there), take(host_)).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 1), 0U);
}

TEST_P(StreamTest, WaitsForAKernelThatAnotherThreadLaunched) {
  int value = 0;  // plain: the fences order the accesses
  int seen = 0;
  {
    StandingKernel busy(stream_, [&value] { value = 5; });
    other_.wait(stream_.record());
    EXPECT_FALSE(other_.record().passed());
    std::thread opener([&busy] {
      std::this_thread::sleep_for(5ms);
      busy.let_go();
    });
    launch(other_, on_host([&] { seen = value; }));
    other_.record().wait(late());
    opener.join();
  }
  EXPECT_EQ(seen, 5);
}

TEST_P(StreamTest, TakesOverTheErrorOfAKernelThatAnotherThreadLaunched) {
  if (GetParam().name == "cuda") GTEST_SKIP() << "there a kernel only enqueues: its errors are known at once";
  bool ran = false;
  {
    StandingKernel busy(stream_, [] { throw Error(ErrorKind::no_space, "out of ink"); });
    other_.wait(stream_.record());
    busy.let_go();
    launch(other_, [&ran] { ran = true; });
    expect_error(ErrorKind::no_space, "out of ink", [&] { other_.record().wait(late()); });
  }
  EXPECT_FALSE(ran);
}

TEST_P(StreamTest, TheFirstErrorSticksAndWhatComesAfterIsSkipped) {
  bool ran = false;
  launch(stream_, [] { throw Error(ErrorKind::no_space, "out of ink"); });
  launch(stream_, [] { throw Error(ErrorKind::config, "a consequence"); });
  launch(stream_, [&ran] { ran = true; });
  const Fence fence = stream_.record();
  expect_error(ErrorKind::no_space, "out of ink", [&] { fence.wait(late()); });
  expect_error(ErrorKind::no_space, "out of ink", [&] { stream_.record().wait(late()); });
  EXPECT_TRUE(fence.passed());
  EXPECT_TRUE(fence.failed());
  EXPECT_FALSE(ran);
}

TEST_P(StreamTest, AnErrorSpreadsToTheStreamsThatWaitForIt) {
  launch(stream_, [] { throw Error(ErrorKind::no_space, "out of ink"); });
  auto copy = copy_async(stream_, take_written(host_, 1), take(there_));
  auto on_other = std::move(copy).then(other_);
  expect_error(ErrorKind::no_space, "out of ink", [&] { static_cast<void>(std::move(on_other).land(late())); });
  expect_error(ErrorKind::no_space, "out of ink", [&] { other_.record().wait(late()); });
  {
    const OnStream<Buffer> dropped = std::move(on_other);
  }  // NOLINT
  EXPECT_TRUE(device_.drain(late()));
  EXPECT_EQ(there_.free_count(), 2U);
  EXPECT_EQ(host_.free_count(), 4U);
}

}  // namespace
}  // namespace dflash
