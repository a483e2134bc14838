#include "common/mpi/role_map.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/process.h"
#include "common/mpi/mpi_call.h"

namespace dflash {

namespace {

/// RankFacts as they travel.
struct Part {
  Role role;
  int32_t pid;
  uint64_t node_id;
  std::array<char, 64> host;  // cut, ends with 0
};

Part own_part(Role role) {
  Part part{.role = role, .pid = getpid(), .node_id = own_node_id(), .host = {}};
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
  std::vector<RankFacts> ranks;
  for (const Part& part : buffers->all) ranks.push_back({part.role, part.host.data(), part.node_id, part.pid});
  return {std::move(ranks), env.world_rank()};
}

RoleMap::RoleMap(std::vector<RankFacts> ranks, int own_rank) : ranks_(std::move(ranks)), own_rank_(own_rank) {
  const int coordinators = count(Role::coordinator), targets = count(Role::target), drafters = count(Role::drafter);
  if (coordinators == 1 && drafters >= 1) return;  // that targets are needed, or none, the settings say
  throw Error(
      ErrorKind::config,
      format(
          "a run needs 1 coordinator, target_workers (none with data.recorded) and at least 1 drafter_worker, but the "
          "{} ranks are "
          "{}, {} and {}; start it with: mpirun -n 1 coordinator run.toml : -n T target_worker : -n D drafter_worker",
          ranks_.size(), coordinators, targets, drafters));
}

RoleMap::RoleMap(const std::vector<Role>& role_of_rank, int own_rank)
    : RoleMap(
          [&] {
            std::vector<RankFacts> ranks;
            for (const Role role : role_of_rank) ranks.push_back({.role = role});
            return ranks;
          }(),
          own_rank) {}

int RoleMap::index_of(int rank) const {
  const auto same_role = [&](const RankFacts& other) { return other.role == role_of(rank); };
  return static_cast<int>(std::count_if(ranks_.begin(), ranks_.begin() + rank, same_role));
}

std::vector<int> RoleMap::ranks_of(Role role) const {
  std::vector<int> ranks;
  for (int rank = 0; std::cmp_less(rank, ranks_.size()); ++rank) {
    if (role_of(rank) == role) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<int> RoleMap::workers() const {
  std::vector<int> ranks;
  for (int rank = 0; std::cmp_less(rank, ranks_.size()); ++rank) {
    if (role_of(rank) != Role::coordinator) ranks.push_back(rank);
  }
  return ranks;
}

std::string RoleMap::describe(int rank) const {
  const std::string host = facts(rank).host.empty() ? "" : format(", host {}", facts(rank).host);
  return format("{} {} (rank {}{})", role_name(role_of(rank)), index_of(rank), rank, host);
}

}  // namespace dflash
