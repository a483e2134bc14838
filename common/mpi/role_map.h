// RoleMap: which rank plays which role. Every rank says its role; all see the whole cast and refuse one that cannot
// play.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/mpi/mpi_env.h"

namespace dflash {

enum class Role { coordinator, target, drafter };
[[nodiscard]] const char* role_name(Role role);

/// What every rank tells all others.
struct RankFacts {
  Role role = Role::target;
  std::string host = {};  // empty: not known, and not named in messages
  uint64_t node_id = 0;   // see common/base/process.h
  int32_t pid = 0;        // meaningful on its own node
};

class RoleMap {
 public:
  /// Collective over the world. Error{config} on every rank when there is not exactly one coordinator and at least
  /// one drafter, naming what was found and the line to start; {stall} naming nobody when the
  /// deadline passes.
  [[nodiscard]] static RoleMap gather(const MpiEnv& env, Role role, Deadline deadline);

  /// Checks a cast and builds the map: what gather does once it knows everybody.
  RoleMap(std::vector<RankFacts> ranks, int own_rank);
  /// The same where nothing but the roles matters; everybody is on one node.
  RoleMap(const std::vector<Role>& role_of_rank, int own_rank);

  [[nodiscard]] int own_rank() const { return own_rank_; }
  [[nodiscard]] Role own_role() const { return role_of(own_rank_); }
  /// Number within the role: target 0, 1, ...
  [[nodiscard]] int own_index() const { return index_of(own_rank_); }
  [[nodiscard]] int index_of(int rank) const;
  [[nodiscard]] Role role_of(int rank) const { return facts(rank).role; }
  [[nodiscard]] int coordinator_rank() const { return ranks_of(Role::coordinator).front(); }
  [[nodiscard]] std::vector<int> ranks_of(Role role) const;
  [[nodiscard]] int count(Role role) const { return static_cast<int>(ranks_of(role).size()); }
  /// Targets and drafters, ascending.
  [[nodiscard]] std::vector<int> workers() const;
  [[nodiscard]] const RankFacts& facts(int rank) const { return ranks_[static_cast<size_t>(rank)]; }
  [[nodiscard]] bool same_node(int rank, int other) const { return facts(rank).node_id == facts(other).node_id; }
  /// "target 1 (rank 2, host n3)": how a rank is called in every message.
  [[nodiscard]] std::string describe(int rank) const;

 private:
  std::vector<RankFacts> ranks_;
  int own_rank_;
};

}  // namespace dflash
