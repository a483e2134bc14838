// What the shm channel alone promises: of the memory it shares, and of addresses that lie.
#include "common/channel/shm_channel.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "common/base/format.h"
#include "common/channel/shm_ring.h"
#include "tests/channel/channel_contract.h"

namespace dflash {
namespace {

constexpr ChannelShape kShape{.slot_bytes = 200, .slot_count = 3, .layout_hash = 0x1234};

std::string to_text(const ShmAddress& address) {
  return format("shm1 {} {} {} {} {} {}", address.host, address.boot_id, address.pid, address.fd, address.inode,
                address.total_bytes);
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
  const Error error = refusal_of(to_text(address));
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
  const ShmMemory tiny = ShmMemory::create(8);
  expect_refused(tiny.address(), "holds no ring");
  const ShmMemory blank = ShmMemory::create(4096);
  expect_refused(blank.address(), "ring magic");
}

TEST(ShmChannel, RefusesARingThatIsSmallerThanItSays) {
  const auto ring = ShmRing::create(kShape);
  const ShmMemory small = ShmMemory::create(512);
  std::memcpy(small.data(), &ring.control(), sizeof(RingControl));
  expect_refused(small.address(), "size in bytes is 512 at the receiver");
}

TEST(ShmChannel, RefusesAGreetingItDoesNotUnderstand) {
  for (const char* greeting : {"", "hello", "shm2 n1 boot 1 2 3 4", "shm1 n1 boot one 2 3 4"}) {
    EXPECT_EQ(refusal_of(greeting).kind(), ErrorKind::internal) << greeting;
  }
}

TEST(ShmChannel, SaysWhenSharedMemoryDoesNotSuffice) {
  auto [sender_line, receiver_line] = InProcessBootstrap::make_pair();
  ChannelShape huge = kShape;
  huge.slot_bytes = size_t{1} << 40;
  huge.slot_count = size_t{1} << 10;
  const Error at_receiver = error_of([&, &line = *receiver_line] { (void)make_shm_receiver(huge, line, late()); });
  const Error at_sender = error_of([&, &line = *sender_line] { (void)make_shm_sender(huge, line, late()); });
  EXPECT_EQ(at_receiver.kind(), ErrorKind::no_space);
  EXPECT_EQ(at_sender.kind(), ErrorKind::no_space);
  EXPECT_STREQ(at_receiver.what(), at_sender.what());
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
