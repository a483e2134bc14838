// The contract suite over the kinds that join two ranks of a job: the receiver is rank 0, the sender rank 1.
#include "common/channel/channel_kind.h"
#include "common/device/cuda_devices.h"
#include "common/mpi/mpi_bootstrap.h"
#include "tests/channel/channel_contract.h"
#include "tests/channel/rank_transport.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

int other_rank() {
  return 1 - mpi_env().world_rank();
}

/// A link wants the roles only for what it says in errors; nobody is rank 2.
RoleMap test_roles() {
  return {{Role::coordinator, Role::target, Role::drafter}, mpi_env().world_rank()};
}

/// Each rank runs its own side. Every run has a communicator of its own, so no word of a failed test reaches the next.
void run_on_ranks(const Side& here, const Side& there) {
  MpiBootstrapFactory factory(test_roles());
  const auto line = factory.connect(other_rank());
  mpi_env().world_rank() == 0 ? run_side("of rank 0", here, *line) : run_side("of rank 1", there, *line);
}

/// Of this process: the GPU that both ranks share, where there is one.
Device& device() {
  static Device instance = cuda_devices().count > 0 ? Device::cuda(0) : Device::sim({});
  return instance;
}

ChannelPeer peer_of(Bootstrap& line, OwnComm& comm) {
  return {.bootstrap = line, .comm = comm, .rank = other_rank(), .device = &device()};
}

TestedKind between_ranks(ChannelKind kind, OwnComm& comm) {
  return {channel_kind_name(kind) + std::string("_ranks"),
          [&comm, kind](const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
            return make_receiver(kind, shape, peer_of(line, comm), deadline);
          },
          [&comm, kind](const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
            return make_sender(kind, shape, peer_of(line, comm), deadline);
          },
          run_on_ranks, true};
}

/// The end goes before its port, which is its own.
class SenderOfRank final : public Sender {
 public:
  SenderOfRank(OwnComm& comm, const ChannelShape& shape, Bootstrap& line, Deadline deadline)
      : process_(test_roles(), comm), sender_(make_nccl_sender(shape, line, deadline, process_.port)) {}
  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override { return sender_->acquire(deadline); }
  ChannelStatus send(SendSlot&& slot) override { return sender_->send(std::move(slot)); }
  ChannelStatus finish(Deadline deadline) override { return sender_->finish(deadline); }

 private:
  RankProcess process_;
  std::unique_ptr<Sender> sender_;
};

class ReceiverOfRank final : public Receiver {
 public:
  ReceiverOfRank(OwnComm& comm, const ChannelShape& shape, Bootstrap& line, Deadline deadline)
      : process_(test_roles(), comm), receiver_(make_nccl_receiver(shape, line, deadline, process_.port)) {}
  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override { return receiver_->receive(deadline); }
  [[nodiscard]] size_t waiting_slots() const override { return receiver_->waiting_slots(); }

 private:
  RankProcess process_;
  std::unique_ptr<Receiver> receiver_;
};

TestedKind nccl_between_ranks(OwnComm& comm) {
  return {"nccl_ranks",
          [&comm](const ChannelShape& shape, Bootstrap& line, Deadline deadline) -> std::unique_ptr<Receiver> {
            return std::make_unique<ReceiverOfRank>(comm, shape, line, deadline);
          },
          [&comm](const ChannelShape& shape, Bootstrap& line, Deadline deadline) -> std::unique_ptr<Sender> {
            return std::make_unique<SenderOfRank>(comm, shape, line, deadline);
          },
          run_on_ranks,
          true,
          /*frames_wait_in_memory=*/false,
          /*frames_travel_alone=*/false};
}

}  // namespace
}  // namespace dflash

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  static OwnComm comm = OwnComm::of_world();
  return {between_ranks(ChannelKind::mpi, comm), between_ranks(ChannelKind::shm, comm),
          between_ranks(ChannelKind::pinned_host, comm), nccl_between_ranks(comm)};
}
