#include "common/mpi/mpi_bootstrap.h"

#include <gtest/gtest.h>

#include <cstring>

#include "common/channel/shm_channel.h"
#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(30s);
}

TEST(MpiBootstrap, KeepsThePeersApart) {
  const RoleMap roles = gather_test_roles();
  MpiBootstrapFactory factory(roles);
  if (roles.own_rank() == 0) {
    const auto first = factory.connect(1);
    const auto second = factory.connect(2);
    EXPECT_EQ(second->receive(late()), "one of 2");
    EXPECT_EQ(first->receive(late()), "one of 1");  // whichever came first
    EXPECT_EQ(first->receive(late()), "two of 1");
    EXPECT_EQ(second->receive(late()), "two of 2");
    first->send("for 1");
    second->send("for 2");
  } else {
    const auto line = factory.connect(0);
    const std::string own = std::to_string(roles.own_rank());
    line->send("one of " + own);
    line->send("two of " + own);
    EXPECT_EQ(line->receive(late()), "for " + own);
  }
}

TEST(MpiBootstrap, StallsByNameAndRefusesALongString) {
  const RoleMap roles = gather_test_roles();
  MpiBootstrapFactory factory(roles);
  const auto line = factory.connect(1);
  const Error stall = error_of([&] { (void)line->receive(Deadline::after(20ms)); });
  EXPECT_EQ(stall.kind(), ErrorKind::stall);
  EXPECT_TRUE(says(stall, {"target 0 (rank 1"}));
  EXPECT_EQ(error_of([&] { line->send(std::string(4097, 'x')); }).kind(), ErrorKind::internal);
}

TEST(MpiBootstrap, JoinsAShmChannelBetweenTwoRanks) {
  const RoleMap roles = gather_test_roles();
  MpiBootstrapFactory factory(roles);
  const ChannelShape shape{.slot_bytes = 1000, .slot_count = 2, .layout_hash = 7};
  if (roles.own_role() == Role::target) {
    const auto line = factory.connect(2);
    const auto sender = make_shm_sender(shape, *line, late());
    for (int number = 0; number < 50; ++number) {
      auto [status, slot] = sender->acquire(late());
      ASSERT_EQ(status, ChannelStatus::ok);
      std::memset(slot.bytes().data(), number, slot.bytes().size());
      ASSERT_EQ(sender->send(std::move(slot)), ChannelStatus::ok);
    }
    EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
  }
  if (roles.own_role() == Role::drafter) {
    const auto line = factory.connect(1);
    const auto receiver = make_shm_receiver(shape, *line, late());
    for (int number = 0; number < 50; ++number) {
      const auto [status, slot] = receiver->receive(late());
      ASSERT_EQ(status, ChannelStatus::ok);
      for (const std::byte byte : slot.bytes()) ASSERT_EQ(std::to_integer<int>(byte), number);
    }
    EXPECT_EQ(receiver->receive(late()).first, ChannelStatus::end_of_stream);
  }
}

}  // namespace
}  // namespace dflash
