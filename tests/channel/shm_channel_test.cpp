// What the shm channel alone promises: of the memory it shares, and of addresses that lie.
#include "common/channel/shm_channel.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "common/base/format.h"
#include "common/base/process.h"
#include "common/channel/shm_ring.h"
#include "tests/channel/channel_contract.h"

namespace dflash {
namespace {

constexpr ChannelShape kShape{.slot_bytes = 200, .slot_count = 3, .layout_hash = 0x1234, .payload_checksum = false};

/// The hello of a receiver whose memory is said to be there.
std::string hello_from(const ShmAddress& address) {
  return format("dflash-channel shm {} {} {} 0 {} {} {} {} {} {} {}", kShape.slot_bytes, kShape.slot_count,
                kShape.layout_hash, own_node_id(), address.pid, address.host, address.boot_id, address.fd,
                address.inode, address.total_bytes);
}

/// What a sender says to a receiver that greets it with `greeting`; the receiver must have been told the same.
Error refusal_of(const std::string& greeting) {
  auto [sender_line, receiver_line] = InProcessBootstrap::make_pair();
  receiver_line->send(greeting);
  Error error = error_of([&line = *sender_line] { (void)make_shm_sender(kShape, line, late()); });
  EXPECT_EQ(receiver_line->receive(now()), format("refused {} {}", exit_code(error.kind()), error.what()));
  return error;
}

void expect_refused(const ShmAddress& address, const std::string& words) {
  const Error error = refusal_of(hello_from(address));
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {words}));
}

TEST(ShmChannel, RefusesAReceiverOnAnotherNode) {
  const ShmMemory memory = ShmMemory::create(4096);
  ShmAddress address = memory.address();
  address.host = "n3";
  address.boot_id = "another-boot";
  expect_refused(address, "the receiver runs on n3");
}

TEST(ShmChannel, RefusesADescriptorThatIsNotThere) {
  const ShmMemory memory = ShmMemory::create(4096);
  ShmAddress address = memory.address();
  address.fd = 1 << 20;
  expect_refused(address, "the receiver is gone, or lives in another container");
}

TEST(ShmChannel, RefusesAnotherFile) {
  const ShmMemory memory = ShmMemory::create(4096);
  ShmAddress address = memory.address();
  address.inode += 1;
  expect_refused(address, "another file");
}

TEST(ShmChannel, RefusesMemoryOfAnotherSizeThanAnnounced) {
  const ShmMemory memory = ShmMemory::create(4096);
  ShmAddress address = memory.address();
  address.total_bytes = uint64_t{1} << 40;
  expect_refused(address, "it has 4096 bytes, announced were 1099511627776");
}

TEST(ShmChannel, RefusesMemoryThatCouldShrinkUnderTheSender) {
  const ShmMemory memory = ShmMemory::create(4096);
  const int fd = memfd_create("unsealed", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  struct stat status{};
  ASSERT_EQ(fstat(fd, &status), 0);
  ShmAddress address = memory.address();
  address.fd = fd;
  address.inode = status.st_ino;
  expect_refused(address, "its size is not sealed");
  close(fd);
}

TEST(ShmChannel, RefusesMemoryThatHoldsNoRing) {
  const ShmMemory small = ShmMemory::create(8);
  expect_refused(small.address(), "holds no ring of a channel: it has 8 bytes");
  const ShmMemory blank = ShmMemory::create(ShmRing::create(kShape).memory().size_bytes());
  expect_refused(blank.address(), "holds no ring of a channel: it begins with other bytes");
}

TEST(ShmChannel, RefusesAnAddressItDoesNotUnderstand) {
  const Error error = refusal_of(format("dflash-channel shm 200 3 {} 0 1 2 n1 boot three 4 5", 0x1234));
  EXPECT_EQ(error.kind(), ErrorKind::internal);
  EXPECT_TRUE(says(error, {"n1 boot three"}));
}

TEST(ShmChannel, HidesItsDoorOnceTheSenderIsIn) {
  std::string greeting;
  struct Spy final : Bootstrap {
    Bootstrap& line;
    std::string& heard;
    Spy(Bootstrap& to, std::string& text) : line(to), heard(text) {}
    void send(const std::string& text) override { line.send(text); }
    std::string receive(Deadline deadline) override { return heard = line.receive(deadline); }
  };
  run_in_thread([](Bootstrap& line) { (void)receive_one(*make_shm_receiver(kShape, line, late()), 7); },
                [&](Bootstrap& line) {
                  Spy spy(line, greeting);
                  const auto sender = make_shm_sender(kShape, spy, late());
                  send_one(*sender, 7);
                  EXPECT_EQ(sender->finish(late()), ChannelStatus::ok);
                  EXPECT_EQ(refusal_of(greeting).kind(), ErrorKind::config);
                });
}

}  // namespace
}  // namespace dflash
