#include "common/mpi/control_link.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <thread>
#include <vector>

#include "common/mpi/byte_link.h"
#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(30s);
}

ControlMessage numbered(int64_t number) {
  ControlMessage message;
  message.mutable_batch_trained()->set_sequence(number);
  return message;
}

/// Every rank sends `text` to all others and waits for theirs: nobody goes on before all are here.
void meet(ByteLink& link) {
  const int size = mpi_env().world_size();
  for (int rank = 0; rank < size; ++rank) {
    if (rank != mpi_env().world_rank()) link.send(rank, "here");
  }
  for (int others = 1; others < size; ++others) ASSERT_EQ(link.wait(late()).value().bytes, "here");
}

TEST(RoleMapGather, TellsEveryRankTheWholeCast) {
  const RoleMap roles = gather_test_roles();
  EXPECT_EQ(roles.own_rank(), mpi_env().world_rank());
  EXPECT_EQ(roles.coordinator_rank(), 0);
  EXPECT_EQ(roles.ranks_of(Role::target), (std::vector<int>{1}));
  EXPECT_TRUE(roles.describe(1).starts_with("target 0 (rank 1, host ")) << roles.describe(1);
}

TEST(RoleMapGather, RefusesABadCastOnEveryRank) {
  const Error error = error_of([] { (void)RoleMap::gather(mpi_env(), Role::target, late()); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {"the 3 ranks are 0, 3 and 0"}));
}

TEST(RoleMapGather, StallsWhenARankSaysNothing) {
  const bool silent = mpi_env().world_rank() == 2;
  if (silent) std::this_thread::sleep_for(300ms);
  const auto gather = [&] { (void)RoleMap::gather(mpi_env(), Role::target, silent ? late() : Deadline::after(30ms)); };
  EXPECT_EQ(error_of(gather).kind(), silent ? ErrorKind::config : ErrorKind::stall);
}

TEST(ControlLink, CarriesAThousandMessagesBetweenAnyTwoInOrder) {
  constexpr int64_t kCount = 1000;
  const RoleMap roles = gather_test_roles();
  ControlLink link(roles);
  const int size = mpi_env().world_size();
  std::vector<int64_t> received(static_cast<size_t>(size), 0);
  const auto take = [&](const std::optional<Incoming>& incoming) {
    ASSERT_TRUE(incoming.has_value());
    int64_t& next = received[static_cast<size_t>(incoming->rank)];
    ASSERT_EQ(incoming->message.batch_trained().sequence(), next++);
  };
  for (int64_t number = 0; number < kCount; ++number) {
    for (int rank = 0; rank < size; ++rank) {
      if (rank != roles.own_rank()) link.send(rank, numbered(number));
    }
    if (const auto incoming = link.poll()) take(incoming);
  }
  const auto all_in = [&] {
    for (int rank = 0; rank < size; ++rank) {
      if (rank != roles.own_rank() && received[static_cast<size_t>(rank)] != kCount) return false;
    }
    return true;
  };
  while (!all_in() && !HasFatalFailure()) take(link.wait(late()));
  link.flush(late());
  EXPECT_FALSE(link.poll().has_value());
}

TEST(ControlLink, SendingDoesNotWaitForAPeerThatSleeps) {
  const RoleMap roles = gather_test_roles();
  ControlLink link(roles);
  ByteLink meeting(roles);
  meet(meeting);
  if (roles.own_rank() == 1) {
    std::this_thread::sleep_for(1s);
    for (int64_t number = 0; number < 20; ++number) {
      EXPECT_EQ(link.wait(late()).value().message.failure().sequence(), number);
    }
  }
  if (roles.own_rank() == 0) {
    const auto begin = Deadline::Clock::now();
    for (int64_t number = 0; number < 20; ++number) {  // far more than MPI buffers by itself
      ControlMessage message;
      message.mutable_failure()->set_sequence(number);
      message.mutable_failure()->set_message(std::string(500'000, 'x'));
      link.send(1, message);
    }
    EXPECT_LT(Deadline::Clock::now() - begin, 800ms) << "it waited for the sleeper";
    link.flush(late());
  }
}

TEST(ControlLink, RefusesAMessageThatIsTooLarge) {
  const RoleMap roles = gather_test_roles();
  ControlLink link(roles);
  ControlMessage message;
  message.mutable_failure()->set_message(std::string(ByteLink::kMostBytes, 'x'));
  const Error error = error_of([&] { link.send(1, message); });
  EXPECT_EQ(error.kind(), ErrorKind::internal);
  EXPECT_TRUE(says(error, {"target 0 (rank 1", "1048576"}));
}

TEST(ControlLink, RefusesGarbageByName) {
  const RoleMap roles = gather_test_roles();
  if (roles.own_rank() == 1) {
    ByteLink raw(roles);  // the same communicator as the others' ControlLink: links match by the order they are made in
    for (const char* garbage : {"\xff\xff\xff", ""}) raw.send(0, garbage);
    raw.flush(late());
  } else {
    ControlLink link(roles);
    for (int i = 0; i < 2 && roles.own_rank() == 0; ++i) {
      const Error error = error_of([&] { (void)link.wait(late()); });
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_TRUE(says(error, {"target 0 (rank 1", "no control message"}));
    }
  }
}

TEST(ControlLink, StallsByNameWhenAPeerTakesNothing) {
  const RoleMap roles = gather_test_roles();
  ByteLink link(roles);
  ByteLink meeting(roles);
  const std::string large(64 * 1024, 'x');  // too large to be buffered on the other side
  if (roles.own_rank() == 0) {
    for (size_t i = 0; i < ByteLink::kMostLeaving; ++i) link.send(2, large);
    const Error full = error_of([&] { link.send(2, large); });
    EXPECT_EQ(full.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(full, {"4096 messages", "drafter 0 (rank 2"}));
    const Error unflushed = error_of([&] { link.flush(Deadline::after(20ms)); });
    EXPECT_EQ(unflushed.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(unflushed, {"drafter 0 (rank 2"}));
  }
  meet(meeting);
  if (roles.own_rank() == 0) link.flush(late());
  if (roles.own_rank() == 2) {
    for (size_t i = 0; i < ByteLink::kMostLeaving; ++i) ASSERT_EQ(link.wait(late()).value().bytes.size(), large.size());
  }
}

TEST(ControlLink, WaitingEndsAtTheDeadlineAndLeavesTheCoreToOthers) {
  const RoleMap roles = gather_test_roles();
  ControlLink link(roles);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  EXPECT_FALSE(link.wait(Deadline::after(1s)).has_value());
  getrusage(RUSAGE_THREAD, &after);
  const auto microseconds = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
  EXPECT_LT(microseconds(after.ru_utime) - microseconds(before.ru_utime), 200'000) << "of 1,000,000: it spins";
}

}  // namespace
}  // namespace dflash
