#include "common/channel/recorded_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/scoped_descriptor.h"
#include "common/channel/frame_header.h"

namespace dflash {

namespace {

namespace fs = std::filesystem;

ChannelShape shape_of(const Recording& recording) {
  return {.slot_bytes = recording.stored_bytes,
          .slot_count = 1,
          .layout_hash = recording.layout_hash,
          .payload_checksum = true};
}

void check_payload(size_t bytes, const ChannelShape& shape) {
  if (bytes == shape.slot_bytes) return;
  throw Error(ErrorKind::internal, format("{} bytes for a recorded batch of {}", bytes, shape.slot_bytes));
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", path.string(), why));
}

void write_frame(const fs::path& path, const FrameHeader& header, std::span<const std::byte> payload) {
  ScopedDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) throw_write_error(errno, format("cannot create {}", path.string()));
  write_all(file.get(), std::as_bytes(std::span(&header, 1)), path);
  write_all(file.get(), payload, path);
  if (!file.close_well()) throw_write_error(errno, format("cannot write {}", path.string()));
}

/// Error{input_file} when the file ends before `bytes` are full.
void read_all(int descriptor, std::span<std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path, format("cannot read: {}", std::strerror(errno)));
    if (count == 0) refuse(path, "it ends early");
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

/// Batches come by the ten thousand, so not one look into the folder's list for each.
int64_t first_missing(const fs::path& folder, int64_t sequence) {
  struct stat info{};
  while (stat(batch_path(folder, sequence).c_str(), &info) == 0) ++sequence;
  if (errno != ENOENT) refuse(batch_path(folder, sequence), format("cannot be looked at: {}", std::strerror(errno)));
  return sequence;
}

void make_new_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error))) {
    throw Error(ErrorKind::config,
                format("{} is not empty: a recording needs a folder that is new or empty", folder.string()));
  }
  fs::create_directories(folder, error);
  if (error) throw_write_error(error.value(), format("cannot make the folder {}", folder.string()));
  // One recorder alone can make this file.
  const fs::path name = folder / kRecordingName;
  const ScopedDescriptor claim(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (claim.get() >= 0) return;
  if (errno == EEXIST) throw Error(ErrorKind::config, format("{}: another recording began there", folder.string()));
  throw_write_error(errno, format("cannot create {}", name.string()));
}

}  // namespace

RecordedFolderWriter::RecordedFolderWriter(fs::path folder, const Recording& recording)
    : folder_(std::move(folder)), recording_(recording), shape_(shape_of(recording)) {
  make_new_folder(folder_);
  write_recording(folder_, recording_);
}

void RecordedFolderWriter::write(int64_t sequence, std::span<const std::byte> payload) {
  check_payload(payload.size(), shape_);
  const fs::path path = batch_path(folder_, sequence);
  const fs::path temporary = temporary_name(path);
  try {
    write_frame(temporary, make_frame_header(static_cast<uint64_t>(sequence), shape_, payload), payload);
    if (rename(temporary.c_str(), path.c_str()) != 0) {
      throw_write_error(errno, format("cannot rename to {}", path.string()));
    }
  } catch (const Error&) {
    unlink(temporary.c_str());
    throw;
  }
  ++batches_;
}

void RecordedFolderWriter::finish(const Json& measured) {
  const ScopedDescriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // All of the file system at once: the batches were written without waiting for the disk.
  if (folder.get() < 0 || syncfs(folder.get()) != 0) {
    throw_write_error(errno, format("cannot flush {}", folder_.string()));
  }
  recording_.complete = true;
  recording_.batches = batches_;
  recording_.measured = measured;
  write_recording(folder_, recording_);
}

RecordedFolderReader::RecordedFolderReader(fs::path folder)
    : folder_(std::move(folder)), recording_(read_recording(folder_)), shape_(shape_of(recording_)) {
  end_sequence_ = first_missing(folder_, recording_.first_sequence);
  const int64_t found = end_sequence_ - recording_.first_sequence;
  if (!recording_.complete || found >= recording_.batches) return;
  refuse(folder_ / kRecordingName, format("it says that {} batches were recorded, but {} is missing",
                                          recording_.batches, batch_path({}, end_sequence_).string()));
}

void RecordedFolderReader::read(int64_t sequence, std::span<std::byte> payload) const {
  check_payload(payload.size(), shape_);
  const fs::path path = batch_path(folder_, sequence);
  const ScopedDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (file.get() < 0 || fstat(file.get(), &info) != 0) refuse(path, format("cannot open: {}", std::strerror(errno)));
  if (!S_ISREG(info.st_mode)) refuse(path, "not a regular file");
  const size_t expected = sizeof(FrameHeader) + payload.size();
  if (std::cmp_not_equal(info.st_size, expected)) {
    refuse(path, format("{} bytes long, a batch of this folder has {}", info.st_size, expected));
  }
  FrameHeader header;
  read_all(file.get(), std::as_writable_bytes(std::span(&header, 1)), path);
  read_all(file.get(), payload, path);
  try {
    check_frame(header, static_cast<uint64_t>(sequence), shape_, payload);
  } catch (const Error& error) {  // to a channel it is its own fault, here it is the file's
    refuse(path, error.what());
  }
}

}  // namespace dflash
