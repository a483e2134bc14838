// pack_marked_states on the GPU against the host's own way, bit for bit; in a rehearsal on the simulated device.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/data/marked_states.h"
#include "common/device/device.h"
#include "tests/data/pack_cases.h"
#include "tests/support/gpu_device.h"

namespace dflash {
namespace {

Deadline late() {
  return Deadline::after(std::chrono::seconds(30));
}

std::vector<std::byte> pack_on(Device& device, const PackCase& pack) {
  const BatchLayout layout = pack.layout();
  Pool host = device.make_pool({"host", MemoryKind::pinned, marked_states_bytes(layout), 2});
  Pool captures = device.make_pool({"captures", MemoryKind::device, layout.captured_bytes(), 1});
  Pool packed = device.make_pool({"packed", MemoryKind::device, marked_states_bytes(layout), 1});
  Stream stream = device.make_stream("pack");
  Landed<Buffer> from = host.take(late()).value();
  std::ranges::copy(captured_of(pack), from.host_view().begin());
  OnStream<Buffer> captured =
      copy_async(stream, std::move(from), captures.take(late()).value(), {.size_bytes = layout.captured_bytes()})
          .then(stream);
  OnStream<Buffer> to = packed.take(late()).value().on(stream);
  const auto kernel = [&](std::span<std::byte> in, std::span<std::byte> out) {
    pack_marked_states(in, layout, pack.noise(), out);
  };
  launch(stream, kernel, captured, to);
  auto sides = copy_async(stream, std::move(to), host.take(late()).value()).land(late());
  const std::span<std::byte> bytes = sides.second.host_view();
  return {bytes.begin(), bytes.end()};
}

TEST(PackParity, TheDevicePacksTheSameBits) {
  DFLASH_NEED_GPU();
  Device device = test::gpu_device();
  std::vector<PackCase> cases = pack_cases();
  cases.push_back({"large", 4096, 512, DType::bf16, false, 0.1, true});
  cases.push_back({"large", 4096, 512, DType::f32, false, 0.1, false});
  for (const PackCase& pack : cases) {
    SCOPED_TRACE(pack.name);
    const std::vector<std::byte> marked = pack_on(device, pack);
    const ExpectedStates expected = expected_states(pack);
    EXPECT_TRUE(std::equal(expected.states.begin(), expected.states.end(), marked.begin() + kMarkBytes));
    EXPECT_EQ(read_mark(marked), expected.finite);
  }
}

}  // namespace
}  // namespace dflash
