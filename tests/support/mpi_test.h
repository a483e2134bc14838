// For tests under mpirun (mpi_test_main.cpp): rank 0 is the coordinator, the last rank the drafter, the rest are
// targets.
#pragma once

#include "common/mpi/mpi_env.h"
#include "common/mpi/role_map.h"

namespace dflash {

/// The environment that main made.
const MpiEnv& mpi_env();

inline RoleMap gather_test_roles() {
  Role role = Role::target;
  if (mpi_env().world_rank() == 0) role = Role::coordinator;
  if (mpi_env().world_rank() == mpi_env().world_size() - 1) role = Role::drafter;
  return RoleMap::gather(mpi_env(), role, Deadline::after(std::chrono::seconds(30)));
}

}  // namespace dflash
