// The port of a worker, made as both workers make theirs, between the ranks of a run: a coordinator, a target and a
// drafter, on simulated devices, over a transport that blocks as NCCL would.
#include "common/plan/run_port.h"

#include "common/channel/channel_kind.h"
#include "common/mpi/run_links.h"
#include "common/plan/link_plan.h"
#include "tests/channel/rank_transport.h"
#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

constexpr size_t kFrames = 7;
constexpr ChannelShape kShape{.slot_bytes = 4096, .slot_count = 3, .layout_hash = 7, .payload_checksum = true};

Deadline late() {
  return Deadline::after(std::chrono::seconds(30));
}

RunConfig with_channel(PipelineSection::ChannelChoice channel) {
  RunConfig config;
  config.mutable_pipeline()->set_channel(channel);
  config.mutable_run()->set_stall_timeout_s(30);
  return config;
}

/// As a sender that never does its half of a frame.
class IdleTransport final : public Transport {
 public:
  IdleTransport(OwnComm& comm, int rank, std::string name, Bootstrap& line, Deadline deadline)
      : other_(comm, rank, std::move(name), line, deadline) {}
  [[nodiscard]] const std::string& peer_name() const override { return other_.peer_name(); }
  void send(std::span<const std::byte> /*bytes*/) override {}
  void receive(std::span<std::byte> bytes) override { other_.receive(bytes); }
  void check() override {}
  [[nodiscard]] bool abort(Deadline deadline) noexcept override { return other_.abort(deadline); }

 private:
  RankTransport other_;
};

/// What one rank of a run has.
struct RankOfRun {
  template <typename TransportOfRank>
  [[nodiscard]] std::unique_ptr<NcclPort> make_port(const RunConfig& config) {
    return make_run_port(config, roles, links.port_messages, device,
                         [this](Bootstrap& line, int rank, bool /*makes_id*/, Deadline deadline) {
                           return std::make_shared<TransportOfRank>(links.batches, rank, roles.describe(rank), line,
                                                                    deadline);
                         });
  }
  [[nodiscard]] ChannelPeer peer(Bootstrap& line, int rank, NcclPort* port) {
    return {.bootstrap = line, .comm = links.batches, .rank = rank, .device = &device, .port = port};
  }

  RoleMap roles = gather_test_roles();
  RunLinks links{roles};
  Device device = Device::sim({});
};

std::unique_ptr<Sender> sender_of(RankOfRun& own, NcclPort* port) {
  const auto line = own.links.bootstraps.connect(2);
  return make_sender(ChannelKind::nccl, kShape, own.peer(*line, 2, port), late());
}

std::unique_ptr<Receiver> receiver_of(RankOfRun& own, NcclPort* port) {
  const auto line = own.links.bootstraps.connect(1);
  return make_receiver(ChannelKind::nccl, kShape, own.peer(*line, 1, port), late());
}

void send_frame(Sender& sender, size_t number) {
  auto [status, slot] = sender.acquire(late());
  ASSERT_EQ(status, ChannelStatus::ok);
  EXPECT_EQ(slot.memory_kind(), MemoryKind::pinned);
  std::memset(slot.bytes().data(), static_cast<int>(number + 1), slot.bytes().size());
  ASSERT_EQ(sender.send(std::move(slot)), ChannelStatus::ok);
}

TEST(RunPort, OnlyWorkersWithANcclLinkHaveOne) {
  RankOfRun own;
  const auto none = own.make_port<RankTransport>(with_channel(PipelineSection::auto_));
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(
      make_run_port(with_channel(PipelineSection::mpi), own.roles, own.links.port_messages, own.device, RunPlace()),
      nullptr);
  const auto port = own.make_port<RankTransport>(with_channel(PipelineSection::nccl));
  EXPECT_EQ(port != nullptr, own.roles.own_role() != Role::coordinator);
  if (!port) return;
  EXPECT_EQ(port->address(), own.roles.own_rank());
  EXPECT_EQ(port->patience(), std::chrono::seconds(30));
}

TEST(RunPort, FramesTravelAndTheHostReadsThemInTheirSlots) {
  RankOfRun own;
  const auto port = own.make_port<RankTransport>(with_channel(PipelineSection::nccl));
  if (own.roles.own_role() == Role::target) {
    const auto sender = sender_of(own, port.get());
    for (size_t i = 0; i < kFrames; ++i) send_frame(*sender, i);
    EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
  }
  if (own.roles.own_role() == Role::drafter) {
    const auto receiver = receiver_of(own, port.get());
    for (size_t i = 0; i < kFrames; ++i) {
      const auto [status, slot] = receiver->receive(late());
      ASSERT_EQ(status, ChannelStatus::ok);
      EXPECT_EQ(slot.memory_kind(), MemoryKind::pinned);
      const std::vector<std::byte> expected(kShape.slot_bytes, static_cast<std::byte>(i + 1));
      EXPECT_EQ(std::memcmp(slot.bytes().data(), expected.data(), expected.size()), 0) << i;
    }
    EXPECT_EQ(receiver->receive(late()).first, ChannelStatus::end_of_stream);
  }
}

TEST(RunPort, AFrameThatDoesNotComeNamesThePeerAfterTheStallTimeout) {
  RankOfRun own;
  RunConfig config = with_channel(PipelineSection::nccl);
  config.mutable_run()->set_stall_timeout_s(0.5);
  const auto port = own.make_port<IdleTransport>(config);
  if (own.roles.own_role() == Role::target) {
    const auto sender = sender_of(own, port.get());
    send_frame(*sender, 0);
    EXPECT_EQ(sender->finish(late()), ChannelStatus::closed);
  }
  if (own.roles.own_role() == Role::drafter) {
    const auto receiver = receiver_of(own, port.get());
    const Error error = error_of([&] { (void)receiver->receive(late()); });
    EXPECT_EQ(error.kind(), ErrorKind::stall) << error.what();
    EXPECT_TRUE(says(error, {"target 0 (rank 1", "has not done its part of a frame within the time"}));
  }
}

}  // namespace
}  // namespace dflash
