// The contract suite over both kinds between the two ranks of a job: the receiver is rank 0, the sender rank 1.
#include "common/channel/channel_kind.h"
#include "common/mpi/mpi_bootstrap.h"
#include "tests/channel/channel_contract.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

int other_rank() {
  return 1 - mpi_env().world_rank();
}

/// Each rank runs its own side. Every run has a communicator of its own, so no word of a failed test reaches the next.
void run_on_ranks(const Side& here, const Side& there) {
  // A link wants the roles only for what it says in errors; nobody is rank 2.
  MpiBootstrapFactory factory(RoleMap({Role::coordinator, Role::target, Role::drafter}, mpi_env().world_rank()));
  const auto line = factory.connect(other_rank());
  mpi_env().world_rank() == 0 ? run_side("of rank 0", here, *line) : run_side("of rank 1", there, *line);
}

TestedKind between_ranks(ChannelKind kind, OwnComm& comm) {
  return {channel_kind_name(kind) + std::string("_ranks"),
          [&comm, kind](const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
            return make_receiver(kind, shape, {line, comm, other_rank()}, deadline);
          },
          [&comm, kind](const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
            return make_sender(kind, shape, {line, comm, other_rank()}, deadline);
          },
          run_on_ranks, true};
}

}  // namespace
}  // namespace dflash

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  static OwnComm comm = OwnComm::of_world();
  return {between_ranks(ChannelKind::mpi, comm), between_ranks(ChannelKind::shm, comm)};
}
