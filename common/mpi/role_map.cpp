#include "common/mpi/role_map.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/mpi/mpi_call.h"

namespace dflash {

namespace {

/// What every rank tells all others.
struct Part {
  Role role;
  std::array<char, 60> host;  // cut, ends with 0
};

Part own_part(Role role) {
  Part part{.role = role, .host = {}};
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  const size_t kept = std::min(static_cast<size_t>(length), part.host.size() - 1);
  std::copy_n(name.begin(), kept, part.host.begin());
  return part;
}

}  // namespace

const char* role_name(Role role) {
  switch (role) {
    case Role::coordinator:
      return "coordinator";
    case Role::target:
      return "target";
    case Role::drafter:
      return "drafter";
  }
  return "unknown role";
}

RoleMap RoleMap::gather(const MpiEnv& env, Role role, Deadline deadline) {
  struct Buffers {
    Part own;
    std::vector<Part> all;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  auto buffers = std::make_unique<Buffers>();
  buffers->own = own_part(role);
  buffers->all.resize(static_cast<size_t>(env.world_size()));
  check_mpi(MPI_Iallgather(&buffers->own, sizeof(Part), MPI_BYTE, buffers->all.data(), sizeof(Part), MPI_BYTE,
                           MPI_COMM_WORLD, &buffers->request),
            "MPI_Iallgather");
  const bool done = poll_until(deadline, [&] {
    int flag = 0;
    check_mpi(MPI_Test(&buffers->request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  });
  if (!done) {
    leave_to_mpi(std::move(buffers));
    throw Error(ErrorKind::stall, format("not all {} ranks said their role within the time", env.world_size()));
  }
  std::vector<Role> roles;
  std::vector<std::string> hosts;
  for (const Part& part : buffers->all) {
    roles.push_back(part.role);
    hosts.emplace_back(part.host.data());
  }
  return {std::move(roles), env.world_rank(), std::move(hosts)};
}

RoleMap::RoleMap(std::vector<Role> role_of_rank, int own_rank, std::vector<std::string> host_of_rank)
    : role_of_rank_(std::move(role_of_rank)), own_rank_(own_rank), host_of_rank_(std::move(host_of_rank)) {
  const size_t coordinators = ranks_of(Role::coordinator).size();
  const size_t targets = ranks_of(Role::target).size();
  const size_t drafters = ranks_of(Role::drafter).size();
  if (coordinators == 1 && targets >= 1 && drafters == 1) return;
  throw Error(
      ErrorKind::config,
      format("a run needs 1 coordinator, at least 1 target_worker and 1 drafter_worker, but the {} ranks are {}, {} "
             "and {}; start it with: mpirun -n 1 coordinator run.toml : -n T target_worker : -n 1 drafter_worker",
             role_of_rank_.size(), coordinators, targets, drafters));
}

int RoleMap::index_of(int rank) const {
  const auto end = role_of_rank_.begin() + rank;
  return static_cast<int>(std::count(role_of_rank_.begin(), end, role_of(rank)));
}

std::vector<int> RoleMap::ranks_of(Role role) const {
  std::vector<int> ranks;
  for (int rank = 0; std::cmp_less(rank, role_of_rank_.size()); ++rank) {
    if (role_of(rank) == role) ranks.push_back(rank);
  }
  return ranks;
}

std::string RoleMap::describe(int rank) const {
  const std::string host = host_of_rank_.empty() ? "" : format(", host {}", host_of_rank_[static_cast<size_t>(rank)]);
  return format("{} {} (rank {}{})", role_name(role_of(rank)), index_of(rank), rank, host);
}

}  // namespace dflash
