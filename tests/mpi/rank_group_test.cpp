// Four ranks that are all members: with three or more the order of adding shows. The coordinator and the target that a
// cast needs are ranks 4 and 5, which do not exist: a group never speaks to ranks of another role.
#include "common/mpi/rank_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "common/base/random.h"
#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(30s);
}

/// The first `members` of the four ranks are drafters, the others targets.
RoleMap cast_with(int members) {
  std::vector<Role> roles(4, Role::target);
  std::fill_n(roles.begin(), members, Role::drafter);
  roles.insert(roles.end(), {Role::coordinator, Role::target});
  return {roles, mpi_env().world_rank()};
}

/// What member m gives: of very different sizes, so that the order of adding shows in the last bits. The same 997
/// values come again and again, since random ones take long under a sanitizer.
std::vector<float> values_of(int member, size_t count) {
  const CounterRandom random(11, RandomPurpose::document_order, static_cast<uint64_t>(member));
  std::vector<float> values(count);
  for (size_t i = 0; i < std::min<size_t>(count, 997); ++i) {
    const uint64_t bits = random.bits(i);
    const int exponent = static_cast<int>((bits >> 32) % 20) - 10;
    values[i] = std::ldexp(static_cast<float>(bits % 16777216) / 16777216.0F - 0.5F, exponent);
  }
  for (size_t i = 997; i < count; ++i) values[i] = values[i - 997];
  return values;
}

/// Adds the members' values in this order.
std::vector<float> sum_by_hand(const std::vector<int>& order, size_t count) {
  std::vector<float> sum = values_of(order.front(), count);
  for (size_t m = 1; m < order.size(); ++m) {
    const std::vector<float> values = values_of(order[m], count);
    for (size_t i = 0; i < count; ++i) sum[i] += values[i];
  }
  return sum;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

TEST(RankGroup, KnowsItsMembers) {
  const RankGroup group(cast_with(2), Role::drafter);
  EXPECT_EQ(group.size(), 2);
  EXPECT_EQ(group.index(), mpi_env().world_rank() < 2 ? mpi_env().world_rank() : -1);
}

TEST(RankGroup, AddsInTheOrderOfTheMembersToTheBit) {
  ASSERT_FALSE(same_bits(sum_by_hand({0, 1, 2, 3}, 1001), sum_by_hand({3, 1, 2, 0}, 1001))) << "the order shows";
  for (const int members : {1, 2, 3, 4}) {
    const std::vector<int> all = {0, 1, 2, 3}, order(all.begin(), all.begin() + members);
    RankGroup group(cast_with(members), Role::drafter);
    for (const size_t count : {0, 1, 2, 3, 5, 1001, 1'000'000}) {
      if (group.index() < 0) break;
      if (count == 1'000'000 && members < 4) continue;  // the others would wait for long
      if (group.index() == static_cast<int>(count) % members) std::this_thread::sleep_for(20ms);  // who comes late
      std::vector<float> values = values_of(group.index(), count);
      group.sum(std::span(values), "gradients", late());
      EXPECT_TRUE(same_bits(values, sum_by_hand(order, count))) << count << " values of " << members;
    }
  }
}

TEST(RankGroup, AddsOneNumberInTheOrderOfTheMembers) {
  RankGroup group(cast_with(4), Role::drafter);
  const double parts[] = {1e16, 1.0, 1.0, -1e16};  // one after the other: 0; any other way it may be 2
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(group.sum(parts[group.index()], "weights", late()), 0.0);
    EXPECT_EQ(group.sum(0.25 * group.index(), "weights", late()), 1.5);
  }
}

TEST(RankGroup, AGroupOfOneKeepsWhatItHas) {
  RankGroup group(cast_with(1), Role::drafter);
  if (group.index() < 0) return;
  EXPECT_EQ(group.sum(0.1, "weights", late()), 0.1);
  EXPECT_EQ(group.broadcast("text", "directive", late()), "text");
}

TEST(RankGroup, AllHaveTheTextOfTheFirst) {
  RankGroup group(cast_with(4), Role::drafter);
  for (const std::string& text : {std::string(), std::string("save"), std::string(4095, 'x')}) {
    const std::string own = group.index() == 0 ? text : std::string(9999, 'y');  // not even looked at
    const bool fits = own.size() < RankGroup::kMostTextBytes;
    EXPECT_EQ(group.broadcast(fits ? own : "other", "directive", late()), text);
  }
  if (group.index() != 0) return;
  expect_error(ErrorKind::internal, "directive: a text of 4096 bytes is too long",
               [&] { (void)group.broadcast(std::string(4096, 'x'), "directive", late()); });
}

TEST(RankGroup, WhoDoesNotTakePartIsNamed) {
  RankGroup group(cast_with(4), Role::drafter);
  if (group.index() == 2) return std::this_thread::sleep_for(500ms);
  std::vector<float> values(10, 1.0F);
  const Error error = error_of([&] { group.sum(std::span(values), "gradients", Deadline::after(200ms)); });
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_STREQ(error.what(), "gradients: no word in time from drafter 2 (rank 2)");
}

TEST(RankGroup, WhoWaitsForTheFirstNamesIt) {
  RankGroup group(cast_with(4), Role::drafter);
  if (group.index() == 0) return std::this_thread::sleep_for(500ms);
  expect_error(ErrorKind::stall, "directive: no word in time from drafter 0 (rank 0)",
               [&] { (void)group.broadcast("", "directive", Deadline::after(200ms)); });
}

}  // namespace
}  // namespace dflash
