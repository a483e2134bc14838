// The NCCL that is installed, as far as one GPU goes: it refuses two ranks on one, so a single rank sends to itself.
#include <nccl.h>

#include <chrono>

#include "common/nccl/nccl_comm.h"
#include "common/nccl/nccl_transport.h"
#include "tests/device/device_kinds.h"
#include "tests/support/gpu_device.h"

namespace dflash {
namespace {

NcclComm alone(Deadline deadline) {
  return {make_nccl_id(), {.ranks = 1, .rank = 0, .peer = 0}, 0, "itself", deadline};
}

TEST(NcclSingleRank, TheLibraryIsTheOneBuiltWith) {
  EXPECT_NE(check_nccl_library().find("libnccl.so.2"), std::string::npos) << check_nccl_library();
}

TEST(NcclSingleRank, WithoutAGpuJoiningFailsAtOnceAndInWords) {
  if (cuda_devices().count > 0) GTEST_SKIP() << "there is a GPU";
  expect_error(ErrorKind::config, "NCCL: GPU 0 cannot be used", [] { static_cast<void>(alone(late())); });
}

TEST(NcclSingleRank, WhatARankSendsToItselfArrives) {
  DFLASH_NEED_GPU();
  if (!test::on_gpu()) return;  // a rehearsal: nccl_transport_test plays this
  Device device = Device::cuda(0);
  NcclComm comm = alone(late());
  Pool host = host_pool(device, 2, size_t{1} << 20);
  Pool there = device_pool(device, 2, size_t{1} << 20);
  Stream stream = device.make_stream("communication");
  OnStream<Buffer> from = copy_async(stream, take_written(host, 5), take(there)).land(late()).second.on(stream);
  OnStream<Buffer> to = take(there).on(stream);
  launch(
      stream,
      [&comm](std::span<std::byte> sent, std::span<std::byte> received) {
        static_cast<void>(ncclGroupStart());  // a rank that talks to itself must say both at once
        comm.send(sent);
        comm.receive(received);
        static_cast<void>(ncclGroupEnd());
      },
      from, to);
  comm.check();
  auto sides = copy_async(stream, std::move(to).land(late()), take(host)).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view(), 5), 0U);
  EXPECT_TRUE(comm.abort(late()));
}

}  // namespace
}  // namespace dflash
