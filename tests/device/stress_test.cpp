// A million operations that are all in order: no alarm, no wrong byte, no allocation, nothing lost.
#include <deque>

#include "common/base/random.h"
#include "tests/device/device_kinds.h"

namespace dflash {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kTrips = 10'000;  // a sanitizer looks at each access
#else
constexpr size_t kTrips = 370'000;
#endif
constexpr size_t kWindow = 64;  // trips under way
constexpr size_t kBytes = 32;

/// Host -> there on one stream, a kernel on another, there -> host on a third.
class Traffic {
 public:
  Traffic(Device& device, MemoryKind there)
      : host_(host_pool(device, 2 * kWindow, kBytes)),
        there_(device.make_pool({"there", there, kBytes, 2 * kWindow})),
        in_(device.make_stream("in")),
        kernels_(device.make_stream("kernels")),
        out_(device.make_stream("out")) {}

  /// Three operations. Some trips are dropped on the way, in each of the states.
  void start(size_t number, uint64_t chance) {
    auto in = copy_async(in_, take_written(host_, number), take(there_));
    if (chance % 50 == 0) return;
    OnStream<Buffer> on = std::move(in).then(kernels_);
    launch(kernels_, on_host([](std::span<std::byte> bytes) {
             for (std::byte& byte : bytes) byte ^= std::byte{0x80};
           }),
           on);
    if (chance % 50 == 1) return;
    auto out = copy_async(out_, std::move(on), take(host_));
    if (chance % 50 == 2) return;
    under_way_.emplace_back(number, std::move(out));
  }
  [[nodiscard]] size_t under_way() const { return under_way_.size(); }
  /// The number of wrong bytes of the oldest trip.
  [[nodiscard]] size_t finish() {
    auto [there, host] = std::move(under_way_.front().second).land(late());
    size_t wrong = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      wrong += host.host_view()[i] != (byte_of(under_way_.front().first, i) ^ std::byte{0x80});
    }
    under_way_.pop_front();
    return wrong;
  }
  [[nodiscard]] bool all_free() const {
    return host_.free_count() == 2 * kWindow && there_.free_count() == 2 * kWindow;
  }

 private:
  Pool host_;
  Pool there_;
  Stream in_;
  Stream kernels_;
  Stream out_;
  std::deque<std::pair<size_t, InFlight<Buffer, Buffer>>> under_way_;
};

void drive(Device device, size_t trips, MemoryKind there = MemoryKind::device) {
  Traffic traffic(device, there);
  const uint64_t allocator_calls = device.stats().allocator_calls;
  const CounterRandom random(1, RandomPurpose::stage_delays, 0);
  size_t wrong = 0;
  for (size_t number = 0; number < trips; ++number) {
    traffic.start(number, random.bits(number));
    if (traffic.under_way() > kWindow / 2) wrong += traffic.finish();
  }
  while (traffic.under_way() > 0) wrong += traffic.finish();
  EXPECT_EQ(wrong, 0U);
  EXPECT_TRUE(device.drain(late()));
  EXPECT_TRUE(traffic.all_free());
  EXPECT_EQ(device.stats().lost_blocks, 0U);
  EXPECT_EQ(device.stats().allocator_calls, allocator_calls);
}

TEST(DeviceStress, AMillionCleanOperationsOnSim) {
  drive(Device::sim({}), kTrips);
}

TEST(DeviceStress, WithDelaysPiecesAndLateFences) {
  SimOptions options = late_sim();
  options.chunk_bytes = 8;
  options.most_delay = options.most_lateness = options.most_pause = 30us;
  drive(Device::sim(options), 1000);
}

TEST(DeviceStress, OnTheCpu) {
  drive(Device::cpu(), kTrips / 10);
}

TEST(DeviceStress, OnAGpu) {
  if (cuda_devices().count == 0) GTEST_SKIP() << "not tried on cuda: " << cuda_devices().why_none;
  drive(Device::cuda(0), kTrips / 10, MemoryKind::pinned);  // which a kernel of the host can reach
}

}  // namespace
}  // namespace dflash
