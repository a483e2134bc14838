// RecordedFolderWriter, RecordedFolderReader: the batches of a recorded folder (recording.h), written and read one by
// one.
//
//   RecordedFolderWriter writer("recorded", recording);      RecordedFolderReader reader("recorded");
//   writer.write(12, payload);                               reader.read(12, payload);
//   writer.finish();
//
// Threading: one thread each; counts of the writer may be asked from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <span>

#include "common/channel/channel.h"
#include "common/channel/recording.h"

namespace dflash {

class RecordedFolderWriter {
 public:
  /// Makes the folder. Error{config} when there is something in it already; {no_space}, {checkpoint} as
  /// write_file_atomic.
  RecordedFolderWriter(std::filesystem::path folder, const Recording& recording);

  /// `payload`: recording.stored_bytes. When it throws ({no_space} when the disk is full), nothing of this batch is
  /// left, and the batches before it stay.
  void write(int64_t sequence, std::span<const std::byte> payload);
  /// Everything is on the disk, and the folder says that it is complete.
  void finish(const Json& measured = Json::object());
  [[nodiscard]] int64_t batches() const { return batches_; }
  [[nodiscard]] const Recording& recording() const { return recording_; }

 private:
  std::filesystem::path folder_;
  Recording recording_;
  ChannelShape shape_;
  std::atomic<int64_t> batches_ = 0;
};

class RecordedFolderReader {
 public:
  /// Error{input_file} when it is no recorded folder, or one that lacks batches it says it has.
  explicit RecordedFolderReader(std::filesystem::path folder);

  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// The first number from first_sequence on that is not there: of what had been written when this was made.
  [[nodiscard]] int64_t end_sequence() const { return end_sequence_; }
  /// `payload`: recording.stored_bytes. Error{input_file} naming the file: missing, cut, or not what was written.
  void read(int64_t sequence, std::span<std::byte> payload) const;

 private:
  std::filesystem::path folder_;
  Recording recording_;
  ChannelShape shape_;
  int64_t end_sequence_ = 0;
};

}  // namespace dflash
