// Files: a read-only mapping, and writes that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace dflash {

/// A whole file mapped for reading. Move-only; unmaps on destruction. A file that another program shortens while it is
/// mapped raises SIGBUS on access: models and data must not change during a run.
class MappedFile {
 public:
  MappedFile() = default;
  /// Error{input_file} when the path is no readable regular file (symlinks are followed).
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address_), size_}; }
  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(address_), size_}; }

 private:
  const void* address_ = nullptr;
  size_t size_ = 0;
};

/// Writes `text` to `path` so that a reader sees the old file or the whole new one: temporary file beside it, fsync,
/// rename, fsync of the folder. Error{no_space} when the disk is full, else Error{checkpoint} naming the path.
void write_file_atomic(const std::filesystem::path& path, std::string_view text);

/// The name beside `path` under which this process writes what will be renamed to `path`: "run.json.4711.tmp".
[[nodiscard]] std::filesystem::path temporary_name(const std::filesystem::path& path);
/// True for a file name of that form: of a process that was killed before the rename, if the process is gone.
[[nodiscard]] bool is_temporary_name(std::string_view name);

/// Writes all of `bytes`, however many calls it takes. Throws throw_write_error's Error naming `path`.
void write_all(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Flushes a folder's entries to the disk (after a rename in it).
void sync_folder(const std::filesystem::path& folder);

/// Throws the Error for a failed write: no_space for ENOSPC and EDQUOT, else checkpoint. `what` names file and action.
[[noreturn]] void throw_write_error(int error_number, const std::string& what);

/// The folder of the running program (programs find each other beside themselves).
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace dflash
