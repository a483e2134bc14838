// Accesses that no type of this room allows, made on purpose through stale views: the simulated device shows them by
// itself, and AddressSanitizer at the very instruction.
#include "tests/device/sim_bench.h"

#ifndef __SANITIZE_THREAD__  // to which some of these are races, as they should be

namespace dflash {
namespace {

/// One that a test has made stale.
std::span<std::byte> view_of_freed_memory(SimBench& bench) {
  Landed<Buffer> buffer = take(bench.host);
  return buffer.host_view();
}

std::span<std::byte> view_of_a_destination(SimBench& bench) {
  bench.gate->close(SimWork::copy);
  Landed<Lease<TestSlot>> slot = bench.ring->lend();
  write(slot.host_view(), 4);
  const std::span<std::byte> stale = slot.host_view();
  static_cast<void>(
      copy_async(bench.copies, take_written(bench.host, 5), std::move(slot), {.to_byte = 16, .size_bytes = 960}));
  return stale;
}

void write_behind_a_block() {
  SimBench bench;
  Landed<Buffer> buffer = take(bench.host);
  *(buffer.host_view().data() + 1024) = std::byte{1};  // 1000 rounded up to 64: the guard page
}

#if defined(__SANITIZE_ADDRESS__)

void write_to_freed_memory() {
  SimBench bench;
  view_of_freed_memory(bench)[999] = std::byte{1};
}

std::byte read_a_destination() {
  SimBench bench;
  return view_of_a_destination(bench)[16];
}

TEST(ForbiddenAccess, AddressSanitizerEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(write_to_freed_memory(), "use-after-poison");
  EXPECT_DEATH(read_a_destination(), "use-after-poison");
  EXPECT_DEATH(write_behind_a_block(), "SEGV");
}

#else

TEST(ForbiddenAccess, AWriteToFreedMemoryIsFoundWhenTheBlockIsUsedAgain) {
  SimBench bench;
  view_of_freed_memory(bench)[999] = std::byte{1};
  for (size_t i = 1; i < 8; ++i) static_cast<void>(take(bench.host));  // the pool's other blocks
  expect_error(ErrorKind::internal, "pool 'host', block 0: memory was written to after it was freed",
               [&] { static_cast<void>(take(bench.host)); });
}

TEST(ForbiddenAccess, ADestinationHoldsNanFromTheSubmissionOn) {
  SimBench bench;
  const std::span<std::byte> stale = view_of_a_destination(bench);
  EXPECT_EQ(stale[15], byte_of(4, 15));
  EXPECT_EQ(stale[16], std::byte{0xC1});
  EXPECT_EQ(stale[975], std::byte{0x7F});
  EXPECT_EQ(stale[976], byte_of(4, 976));
}

TEST(ForbiddenAccess, AWriteBehindABlockEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(write_behind_a_block(), "");
}

#endif

}  // namespace
}  // namespace dflash

#endif
