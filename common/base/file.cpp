#include "common/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/scoped_descriptor.h"

namespace dflash {
namespace {

[[noreturn]] void throw_read_error(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", path.string(), why));
}

void write_and_sync(const std::filesystem::path& path, std::string_view text) {
  const ScopedDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) throw_write_error(errno, format("cannot create {}", path.string()));
  write_all(file.get(), std::as_bytes(std::span(text)), path);
  if (fsync(file.get()) != 0) throw_write_error(errno, format("cannot flush {}", path.string()));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO would wait for its writer.
  const ScopedDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.get() < 0 || fstat(file.get(), &info) != 0)
    throw_read_error(path, format("cannot open: {}", std::strerror(errno)));
  if (!S_ISREG(info.st_mode)) throw_read_error(path, "not a regular file");
  size_ = static_cast<size_t>(info.st_size);
  if (size_ == 0) return;
  void* address = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) throw_read_error(path, format("cannot map: {}", std::strerror(errno)));
  address_ = address;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (address_ != nullptr) munmap(const_cast<void*>(address_), size_);
}

void write_file_atomic(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = temporary_name(path);
  try {
    write_and_sync(temporary, text);
    if (rename(temporary.c_str(), path.c_str()) != 0)
      throw_write_error(errno, format("cannot rename to {}", path.string()));
  } catch (const Error&) {
    unlink(temporary.c_str());
    throw;
  }
  sync_folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += format(".{}.tmp", getpid());
  return temporary;
}

bool is_temporary_name(std::string_view name) {
  constexpr std::string_view kEnding = ".tmp";
  if (!name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
         name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
}

void write_all(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_write_error(errno, format("cannot write {}", path.string()));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const ScopedDescriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0 || fsync(descriptor.get()) != 0) {
    throw_write_error(errno, format("cannot flush the folder {}", folder.string()));
  }
}

void throw_write_error(int error_number, const std::string& what) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT;
  const std::string hint = full ? "; free some space and start again" : "";
  throw Error(full ? ErrorKind::no_space : ErrorKind::checkpoint,
              format("{}: {}{}", what, std::strerror(error_number), hint));
}

std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace dflash
