// Recorded folders: what is written is read, whatever else lies there is one clear line, and a full disk costs nothing.
#include "common/channel/recorded_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "common/base/file.h"
#include "common/channel/frame_header.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBytes = 300;

std::string payload_of(int64_t sequence) {
  std::string payload(kBytes, '\0');
  for (size_t i = 0; i < kBytes; ++i) payload[i] = static_cast<char>(sequence * 13 + static_cast<int64_t>(i) * 5);
  return payload;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class RecordedFolder : public testing::Test {
 protected:
  [[nodiscard]] fs::path path() const { return folder_.path() / "recorded"; }
  [[nodiscard]] static Recording recording() {
    Recording recording;
    recording.layout_hash = 0xfeed'0000'0000'0001;
    recording.slot_bytes = 500;
    recording.stored_bytes = kBytes;
    recording.storage = "smaller";
    recording.first_sequence = 7;
    recording.made_with = {{"seed", 3}, {"layers", {0, 2}}};
    return recording;
  }
  /// Batches 7 to 11.
  void record(bool finish = true) const {
    RecordedFolderWriter writer(path(), recording());
    for (int64_t s = 7; s < 12; ++s) writer.write(s, bytes_of(payload_of(s)));
    if (finish) writer.finish({{"rms", 0.25}});
  }
  [[nodiscard]] Error error_of_read(int64_t sequence) const {
    return error_of([&] {
      const RecordedFolderReader reader(path());
      std::string payload(kBytes, '\0');
      reader.read(sequence, std::as_writable_bytes(std::span(payload)));
    });
  }
  void expect_refused(int64_t sequence, const std::string& words) const {
    const Error error = error_of_read(sequence);
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    EXPECT_TRUE(says(error, {words}));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  void change_json(const std::string& from, const std::string& to) const {
    std::string text = read_text(path() / kRecordingName);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_text(path() / kRecordingName, text.replace(at, from.size(), to));
  }

 private:
  TempFolder folder_;
};

TEST_F(RecordedFolder, GivesBackWhatWasWritten) {
  record();
  const RecordedFolderReader reader(path());
  const Recording& found = reader.recording();
  EXPECT_EQ(found.layout_hash, recording().layout_hash);
  EXPECT_EQ(found.slot_bytes, 500U);
  EXPECT_EQ(found.stored_bytes, kBytes);
  EXPECT_EQ(found.storage, "smaller");
  EXPECT_EQ(found.made_with, recording().made_with);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.batches, 5);
  EXPECT_EQ(found.measured.at("rms"), 0.25);
  EXPECT_EQ(reader.end_sequence(), 12);
  for (const int64_t s : {11, 7, 9, 8, 10}) {  // in any order
    std::string payload(kBytes, '\0');
    reader.read(s, std::as_writable_bytes(std::span(payload)));
    EXPECT_EQ(payload, payload_of(s));
  }
}

TEST_F(RecordedFolder, OfAKilledRecorderCanBeReadUpToTheLastWholeBatch) {
  record(false);
  write_text(temporary_name(batch_path(path(), 12)), "half a ba");
  const RecordedFolderReader reader(path());
  EXPECT_FALSE(reader.recording().complete);
  EXPECT_EQ(reader.end_sequence(), 12);
  expect_refused(12, "batch-000000000012.bin: cannot open");
}

TEST_F(RecordedFolder, AFullDiskIsSaidAndCostsNoBatch) {
  RecordedFolderWriter writer(path(), recording());
  writer.write(7, bytes_of(payload_of(7)));
  fs::create_symlink("/dev/full", temporary_name(batch_path(path(), 8)));
  expect_error(ErrorKind::no_space, "batch-000000000008.bin", [&] { writer.write(8, bytes_of(payload_of(8))); });
  EXPECT_EQ(writer.batches(), 1);
  EXPECT_FALSE(fs::exists(fs::symlink_status(temporary_name(batch_path(path(), 8)))));
  EXPECT_EQ(RecordedFolderReader(path()).end_sequence(), 8);
  writer.write(8, bytes_of(payload_of(8)));  // room was made
  EXPECT_EQ(RecordedFolderReader(path()).end_sequence(), 9);
}

TEST_F(RecordedFolder, EveryFlippedBitOfABatchIsFound) {
  record();
  const fs::path file = batch_path(path(), 9);
  const std::string whole = read_text(file);
  ASSERT_EQ(whole.size(), sizeof(FrameHeader) + kBytes);
  for (size_t at = 0; at < whole.size(); at += 3) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write_text(file, flipped);
    expect_refused(9, "batch-000000000009.bin: corrupt");
  }
}

TEST_F(RecordedFolder, EveryOtherLengthOfABatchIsRefused) {
  record();
  const std::string whole = read_text(batch_path(path(), 9));
  for (const size_t size : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, whole.size() - 1}) {
    write_text(batch_path(path(), 9), whole.substr(0, size));
    expect_refused(9, "bytes long, a batch of this folder has 364");
  }
  write_text(batch_path(path(), 9), whole + "x");
  expect_refused(9, "365 bytes long");
}

TEST_F(RecordedFolder, ABatchInAnotherPlaceOrOfAnotherLayoutIsRefused) {
  record();
  fs::copy_file(batch_path(path(), 8), batch_path(path(), 9), fs::copy_options::overwrite_existing);
  expect_refused(9, "corrupt header of frame 9");
  fs::remove(batch_path(path(), 9));
  expect_refused(9, "says that 5 batches were recorded, but batch-000000000009.bin is missing");
  fs::create_directory(batch_path(path(), 9));
  expect_refused(9, "not a regular file");
  fs::remove(batch_path(path(), 9));
  fs::remove_all(path());
  record();
  change_json("feed0000", "feed0001");
  expect_refused(8, "corrupt header of frame 8");
}

TEST_F(RecordedFolder, AHostileDescriptionIsOneLine) {
  record();
  const std::string whole = read_text(path() / kRecordingName);
  const std::vector<std::array<std::string, 3>> changes = {
      {"\"version\": 1", "\"version\": 2", "its version is not 1"},
      {"dflash recording", "tar", "its format"},
      {"\"stored_bytes\": 300", "\"stored_bytes\": 0", "stored_bytes"},
      {"\"stored_bytes\": 300", "\"stored_bytes\": 1e300", "stored_bytes"},
      {"\"stored_bytes\": 300", "\"stored_bytes\": 99999999999999999", "stored_bytes"},
      {"\"slot_bytes\": 500", "\"slot_bytes\": -1", "slot_bytes"},
      {"\"first_sequence\": 7", "\"first_sequence\": \"7\"", "first_sequence"},
      {"\"batches\": 5", "\"batches\": 1000000", "1000000 batches were recorded, but batch-000000000012.bin"},
      {"\"complete\": true", "\"complete\": 1", "complete"},
      {"feed0000", "feet0000", "layout_hash"},
      {"\"storage\": \"smaller\"", "\"storage\": null", "storage"},
      {"\"made_with\": {", "\"made_with\": 3, \"x\": {", "made_with"},
      {"\"measured\"", "\"measure\"", "'measured' is missing"},
      {"{", "[", "recording.json"},
      {"}", "", "recording.json"}};
  for (const auto& [from, to, words] : changes) {
    write_text(path() / kRecordingName, whole);
    change_json(from, to);
    expect_refused(8, words);
  }
  for (size_t size = 0; size < whole.size() - 2; size += 7) {
    write_text(path() / kRecordingName, whole.substr(0, size));
    expect_refused(8, "recording.json");
  }
  fs::remove(path() / kRecordingName);
  expect_refused(8, "recording.json");
}

TEST_F(RecordedFolder, ANewRecordingNeedsAnEmptyFolder) {
  fs::create_directory(path());
  record();  // an empty one will do
  expect_error(ErrorKind::config, "is not empty", [&] { record(); });
  EXPECT_EQ(RecordedFolderReader(path()).end_sequence(), 12);
}

}  // namespace
}  // namespace dflash
