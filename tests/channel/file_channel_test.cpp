// What the file channel alone promises: the folder it leaves, and what it makes of files that are not what was written.
#include "common/channel/file_channel.h"

#include "common/channel/recorded_folder.h"
#include "tests/channel/channel_contract.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr ChannelShape kShape{.slot_bytes = 200, .slot_count = 3, .layout_hash = 0x1234, .payload_checksum = false};

/// Both ends in this test, the sender in a thread.
void run(const fs::path& folder, const std::function<void(Receiver&, Bootstrap&)>& receiver_side,
         const std::function<void(Sender&, Bootstrap&)>& sender_side) {
  run_in_thread([&](Bootstrap& line) { receiver_side(*make_file_receiver(kShape, line, late(), folder), line); },
                [&](Bootstrap& line) { sender_side(*make_file_sender(kShape, line, late()), line); });
}

TEST(FileChannel, LeavesACompleteRecording) {
  const TempFolder folder;
  const fs::path path = folder.path() / "recorded";
  run(
      path,
      [](Receiver& receiver, Bootstrap&) {
        for (size_t i = 0; i < 5; ++i) (void)receive_one(receiver, i);
      },
      [](Sender& sender, Bootstrap&) {
        for (size_t i = 0; i < 5; ++i) send_one(sender, i);
        EXPECT_EQ(sender.finish(late()), ChannelStatus::ok);
      });
  const RecordedFolderReader reader(path);
  EXPECT_TRUE(reader.recording().complete);
  EXPECT_EQ(reader.recording().batches, 5);
  EXPECT_EQ(reader.end_sequence(), 5);
  std::string payload(kShape.slot_bytes, '\0');
  reader.read(3, std::as_writable_bytes(std::span(payload)));
  EXPECT_EQ(payload, payload_of(3, kShape.slot_bytes));
}

TEST(FileChannel, AFlippedFileIsAnErrorThatSticks) {
  const TempFolder folder;
  const fs::path path = folder.path() / "recorded";
  run(
      path,
      [&](Receiver& receiver, Bootstrap& line) {
        (void)line.receive(late());
        std::string bytes = read_text(batch_path(path, 1));
        bytes[64 + 100] ^= 1;
        write_text(batch_path(path, 1), bytes);
        (void)receive_one(receiver, 0);
        for (int repeat = 0; repeat < 2; ++repeat) {
          expect_error(ErrorKind::input_file, "batch-000000000001.bin: corrupt payload",
                       [&] { (void)receiver.receive(late()); });
        }
      },
      [](Sender& sender, Bootstrap& line) {
        for (size_t i = 0; i < 2; ++i) send_one(sender, i);
        line.send("sent");
        (void)sender.finish(late());
      });
}

TEST(FileChannel, AFolderWithSomethingInItIsRefusedOnBothSides) {
  const TempFolder folder;
  write_text(folder.path() / "precious.txt", "mine");
  run_in_thread(
      [&](Bootstrap& line) {
        expect_error(ErrorKind::config, "is not empty",
                     [&] { (void)make_file_receiver(kShape, line, late(), folder.path()); });
      },
      [](Bootstrap& line) {
        expect_error(ErrorKind::config, "is not empty", [&] { (void)make_file_sender(kShape, line, late()); });
      });
  EXPECT_EQ(read_text(folder.path() / "precious.txt"), "mine");
}

}  // namespace
}  // namespace dflash
