// RoleMap: which rank plays which role. Every rank says its role; all see the whole cast and refuse one that cannot
// play.
#pragma once

#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/mpi/mpi_env.h"

namespace dflash {

enum class Role { coordinator, target, drafter };
[[nodiscard]] const char* role_name(Role role);

class RoleMap {
 public:
  /// Collective over the world. Error{config} on every rank when there is not exactly one coordinator, at least one
  /// target and exactly one drafter, naming what was found and the line to start; {stall} naming nobody when the
  /// deadline passes.
  [[nodiscard]] static RoleMap gather(const MpiEnv& env, Role role, Deadline deadline);

  /// Checks a cast and builds the map: what gather does once it knows everybody's role. No hosts: they are not named.
  RoleMap(std::vector<Role> role_of_rank, int own_rank, std::vector<std::string> host_of_rank = {});

  [[nodiscard]] int own_rank() const { return own_rank_; }
  [[nodiscard]] Role own_role() const { return role_of_rank_[static_cast<size_t>(own_rank_)]; }
  /// Number within the role: target 0, 1, ...
  [[nodiscard]] int own_index() const { return index_of(own_rank_); }
  [[nodiscard]] int index_of(int rank) const;
  [[nodiscard]] Role role_of(int rank) const { return role_of_rank_[static_cast<size_t>(rank)]; }
  [[nodiscard]] int coordinator_rank() const { return ranks_of(Role::coordinator).front(); }
  [[nodiscard]] std::vector<int> ranks_of(Role role) const;
  /// "target 1 (rank 2, host n3)": how a rank is called in every message.
  [[nodiscard]] std::string describe(int rank) const;

 private:
  std::vector<Role> role_of_rank_;
  int own_rank_;
  std::vector<std::string> host_of_rank_;
};

}  // namespace dflash
