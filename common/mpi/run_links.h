// RunLinks: what all ranks of a run make together, in this order, once they know their roles.
#pragma once

#include "common/mpi/byte_link.h"
#include "common/mpi/control_link.h"
#include "common/mpi/mpi_bootstrap.h"
#include "common/mpi/own_comm.h"
#include "common/mpi/rank_group.h"

namespace dflash {

struct RunLinks {
  /// Collective over the world.
  explicit RunLinks(const RoleMap& roles)
      : control(roles), bootstraps(roles), drafters(roles, Role::drafter), port_messages(roles) {}

  ControlLink control;
  MpiBootstrapFactory bootstraps;         // how the ends of channels meet
  RankGroup drafters;                     // for the sum of gradients
  OwnComm batches = OwnComm::of_world();  // for channels of kind mpi
  ByteLink port_messages;                 // for the port of channels of kind nccl, which alone uses it
};

}  // namespace dflash
