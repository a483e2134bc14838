// Blocks between the ranks 0 and 1 and within one rank: whole, in order, as often as wanted, also in several chunks.
#include "common/mpi/persistent_transfer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "common/mpi/mpi_call.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<std::byte[]> make_block(size_t bytes) {
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]());
}

bool finish(PersistentTransfer& transfer, Deadline deadline = Deadline::after(20s)) {
  return poll_until(deadline, [&] { return transfer.done(); });
}

std::byte value_at(size_t round, size_t position) {
  return static_cast<std::byte>(round * 17 + position * 5 + 1);
}

/// Rank 0 sends blocks of this size to rank 1, five times.
void expect_whole_blocks(OwnComm& comm, size_t bytes) {
  const int tag = comm.take_tag();
  const auto block = make_block(bytes);
  const bool sends = mpi_env().world_rank() == 0;
  PersistentTransfer transfer =
      sends ? PersistentTransfer::to(comm, 1, tag, block, bytes) : PersistentTransfer::from(comm, 0, tag, block, bytes);
  EXPECT_TRUE(transfer.done()) << "nothing was started";
  for (size_t round = 0; round < 5; ++round) {
    if (sends) {
      for (size_t i = 0; i < bytes; ++i) block.get()[i] = value_at(round, i);
    }
    transfer.start();
    ASSERT_TRUE(finish(transfer));
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(block.get()[i], value_at(round, i)) << round << " " << i;
  }
}

TEST(PersistentTransfer, CarriesBlocksOfAnySizeAgainAndAgain) {
  OwnComm comm = OwnComm::of_world();
  for (const size_t bytes : {size_t{1}, size_t{1000}, size_t{1} << 20}) expect_whole_blocks(comm, bytes);
}

TEST(PersistentTransfer, IsNotDoneBeforeTheOtherSide) {
  OwnComm comm = OwnComm::of_self();
  const int tag = comm.take_tag();
  const auto in = make_block(8), out = make_block(8);
  PersistentTransfer receive = PersistentTransfer::from(comm, 0, tag, in, 8);
  PersistentTransfer send = PersistentTransfer::to(comm, 0, tag, out, 8);
  receive.start();
  EXPECT_FALSE(finish(receive, Deadline::after(20ms)));
  std::memcpy(out.get(), "12345678", 8);
  send.start();
  EXPECT_TRUE(finish(receive));
  EXPECT_TRUE(finish(send));
  EXPECT_EQ(std::memcmp(in.get(), "12345678", 8), 0);
}

TEST(PersistentTransfer, OfTheSameTagAreMatchedInTheOrderOfTheirStart) {
  OwnComm comm = OwnComm::of_self();
  const int tag = comm.take_tag();
  std::vector<PersistentTransfer> receives, sends;
  std::vector<std::shared_ptr<std::byte[]>> in, out;
  for (int i = 0; i < 4; ++i) {
    in.push_back(make_block(1));
    out.push_back(make_block(1));
    out.back()[0] = static_cast<std::byte>(i);
    receives.push_back(PersistentTransfer::from(comm, 0, tag, in.back(), 1));
    sends.push_back(PersistentTransfer::to(comm, 0, tag, out.back(), 1));
  }
  for (auto& receive : receives) receive.start();
  for (auto& send : sends) send.start();
  for (size_t i = 0; i < receives.size(); ++i) {
    ASSERT_TRUE(finish(receives[i]));
    EXPECT_EQ(in[i][0], out[i][0]);
  }
}

TEST(PersistentTransfer, ForgetsAReceiveThatNeverCameAndKeepsItsMemoryNoLonger) {
  OwnComm comm = OwnComm::of_self();
  const auto block = make_block(8);
  {
    PersistentTransfer receive = PersistentTransfer::from(comm, 0, comm.take_tag(), block, 8);
    receive.start();
    EXPECT_EQ(block.use_count(), 2);
  }
  EXPECT_EQ(block.use_count(), 1);
}

TEST(PersistentTransfer, LeavesMemoryToMpiThatItMayStillRead) {
  OwnComm comm = OwnComm::of_self();
  constexpr size_t kTooLargeToBeBuffered = 1 << 20;
  const auto block = make_block(kTooLargeToBeBuffered);
  const int tag = comm.take_tag();
  {
    PersistentTransfer send = PersistentTransfer::to(comm, 0, tag, block, kTooLargeToBeBuffered);
    send.start();
  }
  EXPECT_EQ(block.use_count(), 2);
  block[7] = std::byte{7};
  const auto in = make_block(kTooLargeToBeBuffered);
  PersistentTransfer receive = PersistentTransfer::from(comm, 0, tag, in, kTooLargeToBeBuffered);
  receive.start();
  EXPECT_TRUE(finish(receive)) << "what was started goes on after the transfer's end";
  EXPECT_EQ(in[7], std::byte{7});
}

TEST(OwnComm, HandsOutEveryTagOnceAndSaysWhenThereAreNoMore) {
  OwnComm comm = OwnComm::of_self();
  for (int tag = 0; tag < 32768; ++tag) ASSERT_EQ(comm.take_tag(), tag);
  EXPECT_THROW((void)comm.take_tag(), Error);
}

}  // namespace
}  // namespace dflash
