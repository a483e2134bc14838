// The contract suite over mpi with both ends in this process: a world of one, started without mpirun.
#include "common/channel/channel_kind.h"
#include "common/mpi/own_comm.h"
#include "tests/channel/channel_contract.h"

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  static OwnComm comm = OwnComm::of_self();
  const auto peer = [](Bootstrap& line) { return ChannelPeer{line, comm, 0}; };
  return {{"mpi_thread",
           [peer](const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
             return make_receiver(ChannelKind::mpi, shape, peer(line), deadline);
           },
           [peer](const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
             return make_sender(ChannelKind::mpi, shape, peer(line), deadline);
           },
           run_in_thread, false}};
}
