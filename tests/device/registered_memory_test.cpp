#include <array>

#include "tests/device/sim_bench.h"

namespace dflash {
namespace {

class RegisteredMemoryTest : public DeviceTest {
 protected:
  static constexpr size_t kPage = 4096;  // what a GPU page-locks is whole pages
  alignas(kPage) std::array<std::byte, 8 * kPage> memory_{};
  std::span<std::byte> all_{memory_};
};
INSTANTIATE_TEST_SUITE_P(Devices, RegisteredMemoryTest, testing::ValuesIn(every_device()), device_name);

TEST_P(RegisteredMemoryTest, IsCountedForAsLongAsItLives) {
  {
    const RegisteredMemory registered = device_.register_host(all_);
    EXPECT_EQ(device_.stats().registered_bytes, 8 * kPage);
  }
  EXPECT_EQ(device_.stats().registered_bytes, 0U);
  const RegisteredMemory again = device_.register_host(all_);
  EXPECT_EQ(device_.stats().registered_bytes, 8 * kPage);
  EXPECT_EQ(device_.stats().released_in_use, 0U);
}

TEST_P(RegisteredMemoryTest, NoByteIsRegisteredTwice) {
  const RegisteredMemory middle = device_.register_host(all_.subspan(kPage, kPage));
  const std::vector<std::pair<size_t, size_t>> overlapping = {
      {kPage, kPage}, {0, 8 * kPage}, {0, kPage + 1}, {2 * kPage - 1, 1}, {kPage + 9, 9}};
  for (const auto& [begin, size] : overlapping) {
    expect_error(ErrorKind::internal, "part of them is already",
                 [&] { static_cast<void>(device_.register_host(all_.subspan(begin, size))); });
  }
  const RegisteredMemory before = device_.register_host(all_.first(kPage));
  const RegisteredMemory after = device_.register_host(all_.subspan(2 * kPage));
  EXPECT_EQ(device_.stats().registered_bytes, 8 * kPage);
  expect_error(ErrorKind::internal, "0 bytes", [&] { static_cast<void>(device_.register_host({})); });
}

TEST_P(RegisteredMemoryTest, MovesWithItsOwnerAndEndsOnce) {
  RegisteredMemory first = device_.register_host(all_.first(kPage));
  RegisteredMemory second = std::move(first);
  first = device_.register_host(all_.last(2 * kPage));  // NOLINT: what was moved from may be used again
  EXPECT_EQ(device_.stats().registered_bytes, 3 * kPage);
  second = std::move(first);
  EXPECT_EQ(device_.stats().registered_bytes, 2 * kPage);
  second = RegisteredMemory();
  EXPECT_EQ(device_.stats().registered_bytes, 0U);
}

TEST_P(RegisteredMemoryTest, TakesPartInCopies) {
  const auto ring = std::make_shared<TestRing>();
  Pool there = device_pool(device_, 1);
  Pool host = host_pool(device_, 2);
  Stream stream = device_.make_stream("copies");
  Landed<Lease<TestSlot>> slot = ring->lend();
  const RegisteredMemory registered = device_.register_host(slot.host_view());
  write(slot.host_view(), 8);
  OnStream<Buffer> on_device = copy_async(stream, std::move(slot), take(there)).then(stream);
  auto sides = copy_async(stream, std::move(on_device), take(host)).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 8), 0U);
  EXPECT_EQ(device_.stats().released_in_use, 0U);
}

TEST(RegisteredMemory, MayOutliveTheDevice) {
  std::vector<std::byte> memory(100);
  auto device = std::make_unique<Device>(Device::sim({}));
  const RegisteredMemory registered = device->register_host(memory);
  device.reset();
}

TEST(RegisteredMemory, LettingGoOfItWhileACopyUsesItIsAnError) {
  for (const bool is_source : {true, false}) {
    SimBench bench;
    Landed<Lease<TestSlot>> slot = bench.ring->lend();
    std::optional<RegisteredMemory> registered = bench.device.register_host(slot.host_view());
    bench.gate->close(SimWork::copy);
    std::optional<InFlight<Lease<TestSlot>, Buffer>> out;
    std::optional<InFlight<Buffer, Lease<TestSlot>>> in;
    if (is_source) {
      out = copy_async(bench.copies, std::move(slot), take(bench.host));
    } else {
      in = copy_async(bench.copies, take_written(bench.host, 1), std::move(slot));
    }
    registered.reset();
    EXPECT_EQ(bench.device.stats().released_in_use, 1U);
    bench.gate->open(SimWork::copy);
    expect_error(ErrorKind::internal, "let go while a copy was using it", [&] {
      if (out) static_cast<void>(std::move(*out).land(late()));
      if (in) static_cast<void>(std::move(*in).land(late()));
    });
  }
}

TEST(RegisteredMemory, CopiesOfOtherMemoryDoNotMatter) {
  SimBench bench;
  std::vector<std::byte> memory(100);
  std::optional<RegisteredMemory> registered = bench.device.register_host(memory);
  bench.gate->close(SimWork::copy);
  auto copy = copy_async(bench.copies, take_written(bench.host, 1), bench.ring->lend());
  registered.reset();
  bench.gate->open(SimWork::copy);
  static_cast<void>(std::move(copy).land(late()));
  EXPECT_EQ(bench.device.stats().released_in_use, 0U);
}

}  // namespace
}  // namespace dflash
