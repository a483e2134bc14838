// The ends of a role that runs alone: a sender whose slots are always free, a receiver of the batches that are its own.
#include "common/channel/recording_ends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr size_t kSlotBytes = 100;

Deadline soon() {
  return Deadline::after(20ms);
}

/// Every byte twice in memory, once in the file.
StoredForm halved() {
  return {.name = "halved",
          .slot_bytes = kSlotBytes,
          .stored_bytes = kSlotBytes / 2,
          .encode =
              [](std::span<const std::byte> slot, std::span<std::byte> stored) {
                for (size_t i = 0; i < stored.size(); ++i) stored[i] = slot[2 * i];
              },
          .decode =
              [](std::span<const std::byte> stored, std::span<std::byte> slot) {
                for (size_t i = 0; i < slot.size(); ++i) slot[i] = stored[i / 2];
              }};
}

StoredForm as_is() {
  return {.slot_bytes = kSlotBytes, .stored_bytes = kSlotBytes};
}

void record(const std::filesystem::path& folder, const StoredForm& form, int64_t first, int64_t count) {
  Recording recording;
  recording.slot_bytes = form.slot_bytes;
  recording.stored_bytes = form.stored_bytes;
  recording.first_sequence = first;
  RecordedFolderWriter writer(folder, recording);
  RecordingSender sender(writer, form);
  for (int64_t s = first; s < first + count; ++s) {
    auto [status, slot] = sender.acquire(soon());
    ASSERT_EQ(status, ChannelStatus::ok);
    std::ranges::fill(slot.bytes(), static_cast<std::byte>(s));
    ASSERT_EQ(sender.send(std::move(slot)), ChannelStatus::ok);
  }
  EXPECT_EQ(sender.finish(soon()), ChannelStatus::ok);
  writer.finish();
}

std::vector<int> receive_all(ReplayReceiver& receiver) {
  std::vector<int> numbers;
  for (;;) {
    auto [status, slot] = receiver.receive(soon());
    if (status != ChannelStatus::ok) {
      EXPECT_EQ(status, ChannelStatus::end_of_stream);
      return numbers;
    }
    EXPECT_EQ(slot.bytes().size(), kSlotBytes);
    EXPECT_TRUE(std::ranges::all_of(slot.bytes(), [&](std::byte b) { return b == slot.bytes().front(); }));
    numbers.push_back(static_cast<int>(slot.bytes().front()));
  }
}

TEST(RecordingEnds, EachDrafterGetsItsOwnBatchesInOrder) {
  const TempFolder folder;
  record(folder.path() / "r", as_is(), 4, 9);
  ReplayReceiver of_all(RecordedFolderReader(folder.path() / "r"), as_is(), {.first = 4, .stride = 1, .end = 12}, 2);
  EXPECT_EQ(receive_all(of_all), (std::vector{4, 5, 6, 7, 8, 9, 10, 11})) << "not beyond the end";
  ReplayReceiver second(RecordedFolderReader(folder.path() / "r"), as_is(), {.first = 7, .stride = 3, .end = 13}, 2);
  EXPECT_EQ(receive_all(second), (std::vector{7, 10}));
}

TEST(RecordingEnds, OtherFormsAreTurnedBack) {
  const TempFolder folder;
  record(folder.path() / "r", halved(), 0, 3);
  ReplayReceiver receiver(RecordedFolderReader(folder.path() / "r"), halved(), {.end = 3}, 2);
  EXPECT_EQ(receive_all(receiver), (std::vector{0, 1, 2}));
}

TEST(RecordingEnds, ASlotIsTheCredit) {
  const TempFolder folder;
  record(folder.path() / "r", as_is(), 0, 6);
  ReplayReceiver receiver(RecordedFolderReader(folder.path() / "r"), as_is(), {.end = 6}, 2);
  EXPECT_EQ(receiver.waiting_slots(), 2U);
  ReceivedSlot first = receiver.receive(soon()).second;
  ReceivedSlot second = receiver.receive(soon()).second;
  EXPECT_EQ(receiver.waiting_slots(), 0U);
  EXPECT_EQ(receiver.receive(soon()).first, ChannelStatus::timeout);
  std::thread trainer([&first] {
    std::this_thread::sleep_for(20ms);
    first.release();
  });
  const ReceivedSlot third = receiver.receive(Deadline::after(10s)).second;
  trainer.join();
  EXPECT_EQ(third.bytes().front(), std::byte{2});
  EXPECT_EQ(second.bytes().front(), std::byte{1}) << "a slot that is held is not written to";
}

TEST(RecordingEnds, AMissingBatchIsAnErrorThatSticks) {
  const TempFolder folder;
  record(folder.path() / "r", as_is(), 0, 2);
  ReplayReceiver receiver(RecordedFolderReader(folder.path() / "r"), as_is(), {.end = 3}, 2);
  (void)receiver.receive(soon());
  (void)receiver.receive(soon());
  for (int repeat = 0; repeat < 2; ++repeat) {
    expect_error(ErrorKind::input_file, "batch-000000000002.bin", [&] { (void)receiver.receive(soon()); });
  }
}

TEST(RecordingEnds, ASlotOfSomebodyElseIsRefused) {
  const TempFolder folder;
  Recording recording;
  recording.slot_bytes = recording.stored_bytes = kSlotBytes;
  RecordedFolderWriter writer(folder.path() / "r", recording);
  RecordingSender sender(writer, as_is());
  expect_error(ErrorKind::internal, "not the one", [&] { (void)sender.send(SendSlot()); });
}

}  // namespace
}  // namespace dflash
