// A slot of 2.5 GiB over the mpi channel between two ranks: three chunks, none of them larger than MPI can count.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "common/base/hash.h"
#include "common/channel/channel_kind.h"
#include "common/mpi/mpi_bootstrap.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr size_t kGib = size_t{1} << 30;
constexpr size_t kSlotBytes = 5 * kGib / 2;
constexpr size_t kNeededBytes = 8 * kGib;

Deadline late() {
  return Deadline::after(50s);
}

size_t available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
  }
  return 0;
}

/// Every word is another one, so that no piece can stand in for another: a chunk that is missing, doubled or shifted
/// changes the hash.
void fill(std::span<std::byte> bytes) {
  uint64_t word = 0;
  for (size_t offset = 0; offset < bytes.size(); offset += sizeof word) {
    word = word * 6364136223846793005 + 1442695040888963407;
    std::memcpy(bytes.data() + offset, &word, sizeof word);
  }
}

void send_one(Sender& sender, Bootstrap& line) {
  auto [status, slot] = sender.acquire(late());
  ASSERT_EQ(status, ChannelStatus::ok);
  fill(slot.bytes());
  line.send(hash_hex(hash_bytes(slot.bytes())));
  ASSERT_EQ(sender.send(std::move(slot)), ChannelStatus::ok);
  EXPECT_EQ(sender.finish(late()), ChannelStatus::ok);
}

void receive_one(Receiver& receiver, Bootstrap& line) {
  auto [status, slot] = receiver.receive(late());
  ASSERT_EQ(status, ChannelStatus::ok);
  ASSERT_EQ(slot.bytes().size(), kSlotBytes);
  EXPECT_EQ(hash_hex(hash_bytes(slot.bytes())), line.receive(late()));
  slot.release();
  EXPECT_EQ(receiver.receive(late()).first, ChannelStatus::end_of_stream);
}

/// Rank 0 decides for both.
bool enough_memory(Bootstrap& line) {
  if (mpi_env().world_rank() != 0) return line.receive(late()) == "enough";
  const bool enough = available_bytes() >= kNeededBytes;
  line.send(enough ? "enough" : "too little");
  return enough;
}

TEST(LargeTransfer, OfTwoAndAHalfGibIsWhole) {
  const int peer_rank = 1 - mpi_env().world_rank();
  MpiBootstrapFactory factory(RoleMap({Role::coordinator, Role::target, Role::drafter}, mpi_env().world_rank()));
  OwnComm comm = OwnComm::of_world();
  const auto line = factory.connect(peer_rank);
  if (!enough_memory(*line)) GTEST_SKIP() << "less than 8 GiB of memory are available";
  const ChannelShape shape{.slot_bytes = kSlotBytes, .slot_count = 1, .layout_hash = 1, .payload_checksum = false};
  const ChannelPeer peer{*line, comm, peer_rank};
  if (mpi_env().world_rank() == 0) {
    send_one(*make_sender(ChannelKind::mpi, shape, peer, late()), *line);
  } else {
    receive_one(*make_receiver(ChannelKind::mpi, shape, peer, late()), *line);
  }
}

}  // namespace
}  // namespace dflash
