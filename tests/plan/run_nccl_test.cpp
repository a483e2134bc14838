// What joins the workers of a run over NCCL, on a simulated NCCL and a simulated CUDA runtime: a target and a drafter
// of one process, each with a port as make_run_port makes it but for the messages, which go through the process.
#include <nccl.h>

#include <future>

#include "common/channel/nccl_channel.h"
#include "common/nccl/nccl_transport.h"
#include "common/plan/run_port.h"
#include "tests/channel/nccl_ends.h"
#include "tests/device/fake_cuda.h"
#include "tests/nccl/fake_nccl.h"
#include "tests/support/errors.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash {
namespace {

const std::vector<Role> kCast = {Role::coordinator, Role::target, Role::drafter};
constexpr ChannelShape kShape{.slot_bytes = 4096, .slot_count = 3, .layout_hash = 7, .payload_checksum = true};
constexpr size_t kFrames = 20;

Deadline late() {
  return Deadline::after(std::chrono::seconds(30));
}

struct RunNcclTest : testing::Test {
  ~RunNcclTest() override {
    fake_nccl::reset();
    fake_cuda::set_devices(1);
  }
};

/// A box of the post office that has the number of this rank.
std::unique_ptr<PortMessages> messages_of(const RoleMap& roles) {
  auto messages = std::make_unique<PlayedMessages>();
  while (messages->own_address() < roles.own_rank()) messages = std::make_unique<PlayedMessages>();
  return messages;
}

/// On a GPU of its own, as NCCL wants it.
struct Worker {
  explicit Worker(int rank) : roles(kCast, rank) {}
  const RoleMap roles;
  const int gpu = gpu_of(roles, roles.own_rank()).ordinal;
  Device device = Device::cuda(gpu);
  NcclPort port{device, messages_of(roles), nccl_transports(roles, gpu),
                NcclPortSettings{.slot_memory = MemoryKind::pinned, .patience = std::chrono::seconds(30)}};
};

void send_frames(Sender& sender) {
  for (size_t i = 0; i < kFrames; ++i) {
    auto [status, slot] = sender.acquire(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    std::memset(slot.bytes().data(), static_cast<int>(i + 1), slot.bytes().size());
    ASSERT_EQ(sender.send(std::move(slot)), ChannelStatus::ok);
  }
  EXPECT_EQ(sender.finish(late()), ChannelStatus::ok);
}

void receive_frames(Receiver& receiver) {
  for (size_t i = 0; i < kFrames; ++i) {
    const auto [status, slot] = receiver.receive(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    const std::vector<std::byte> expected(kShape.slot_bytes, static_cast<std::byte>(i + 1));
    EXPECT_EQ(std::memcmp(slot.bytes().data(), expected.data(), expected.size()), 0) << i;
  }
  EXPECT_EQ(receiver.receive(late()).first, ChannelStatus::end_of_stream);
}

TEST_F(RunNcclTest, FramesTravelBetweenPinnedSlotsOverACommunicatorOfTheLink) {
  fake_cuda::set_devices(2);
  Worker target(1), drafter(2);
  ASSERT_EQ(drafter.port.address(), 2);
  auto [of_target, of_drafter] = InProcessBootstrap::make_pair();
  auto sending = std::async(std::launch::async, [&, &line = *of_target] {
    const auto sender = make_nccl_sender(kShape, line, late(), target.port);
    EXPECT_EQ(fake_nccl::communicators_alive(), 2U);
    send_frames(*sender);
  });
  const auto receiver = make_nccl_receiver(kShape, *of_drafter, late(), drafter.port);
  receive_frames(*receiver);
  sending.get();
  EXPECT_EQ(fake_nccl::used_after_abort(), 0U);
}

TEST_F(RunNcclTest, WhatNcclMeetsNamesTheRank) {
  const RoleMap roles(kCast, 1);
  auto [here, there] = InProcessBootstrap::make_pair();
  fake_nccl::set_joining({.looks = 2, .afterwards = ncclRemoteError});
  expect_error(ErrorKind::peer_died, "NCCL, joining drafter 0 (rank 2)",
               [&, &line = *here] { (void)nccl_transports(roles, 0)(line, 2, true, late()); });
  fake_nccl::set_joining({.looks = 1'000'000});
  const Deadline soon = Deadline::after(std::chrono::milliseconds(50));
  expect_error(ErrorKind::stall, "NCCL, joining drafter 0 (rank 2)",
               [&, &line = *here] { (void)nccl_transports(roles, 0)(line, 2, true, soon); });
}

}  // namespace
}  // namespace dflash
