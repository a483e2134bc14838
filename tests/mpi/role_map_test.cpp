#include "common/mpi/role_map.h"

#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr Role kCoordinator = Role::coordinator;
constexpr Role kTarget = Role::target;
constexpr Role kDrafter = Role::drafter;

TEST(RoleMap, KnowsWhoPlaysWhat) {
  const RoleMap roles({kTarget, kDrafter, kTarget, kCoordinator}, 2);
  EXPECT_EQ(roles.own_role(), kTarget);
  EXPECT_EQ(roles.own_rank(), 2);
  EXPECT_EQ(roles.own_index(), 1);
  EXPECT_EQ(roles.index_of(0), 0);
  EXPECT_EQ(roles.coordinator_rank(), 3);
  EXPECT_EQ(roles.ranks_of(kTarget), (std::vector<int>{0, 2}));
  EXPECT_EQ(roles.ranks_of(kDrafter), (std::vector<int>{1}));
  EXPECT_EQ(roles.describe(2), "target 1 (rank 2)");
  EXPECT_EQ(roles.describe(3), "coordinator 0 (rank 3)");
}

TEST(RoleMap, NamesTheHostWhereItIsKnown) {
  const RoleMap roles({{kCoordinator, "n1", 7, 100}, {kTarget, "n1", 7, 101}, {kDrafter, "n3", 8, 100}}, 0);
  EXPECT_EQ(roles.describe(2), "drafter 0 (rank 2, host n3)");
  EXPECT_TRUE(roles.same_node(0, 1));
  EXPECT_FALSE(roles.same_node(1, 2));
  EXPECT_EQ(roles.facts(1).pid, 101);
}

TEST(RoleMap, RefusesACastThatCannotPlay) {
  const auto refusal = [](std::vector<Role> cast) {
    Error error = error_of([&] { const RoleMap roles(cast, 0); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, {"mpirun -n 1 coordinator run.toml : -n T target_worker : -n D drafter_worker"}));
    return error;
  };
  EXPECT_TRUE(says(refusal({kTarget}), {"the 1 ranks are 0, 1 and 0"}));
  EXPECT_TRUE(says(refusal({kCoordinator, kCoordinator, kTarget, kDrafter}), {"2, 1 and 1"}));
  EXPECT_TRUE(says(refusal({kCoordinator, kTarget}), {"1, 1 and 0"}));
}

TEST(RoleMap, HoldsAnyNumberOfTargetsAndDrafters) {
  const RoleMap roles({kCoordinator, kTarget, kDrafter, kDrafter, kTarget}, 3);
  EXPECT_EQ(roles.count(kDrafter), 2);
  EXPECT_EQ(roles.own_index(), 1);
  EXPECT_EQ(roles.workers(), (std::vector<int>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace dflash
