#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/hf/safetensors.h"

namespace dflash {
namespace {

constexpr size_t kAlignmentBytes = 8;
constexpr size_t kPieceBytes = size_t{64} << 20;  // of one write call

/// A file that is written under a temporary name beside `path` and appears under its own by commit(), or never.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path) : path_(path), temporary_(path) {
    temporary_ += format(".{}.tmp", getpid());
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) throw_write_error(errno, format("cannot create {}", temporary_.string()));
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() {
    close(descriptor_);
    if (!committed_) unlink(temporary_.c_str());
  }

  void append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), std::min(bytes.size(), kPieceBytes));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw_write_error(errno, format("cannot write {}", path_.string()));
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
  }

  void commit() {
    if (fsync(descriptor_) != 0) throw_write_error(errno, format("cannot flush {}", path_.string()));
    if (rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw_write_error(errno, format("cannot rename to {}", path_.string()));
    }
    committed_ = true;
    sync_folder(path_.has_parent_path() ? path_.parent_path() : std::filesystem::path("."));
  }

 private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
};

/// A view made by hand may lie about its bytes; what is written must be readable.
void check_view(const std::string& name, const TensorView& view) {
  size_t bytes = dtype_bytes(view.dtype);
  for (const int64_t size : view.shape) bytes *= static_cast<size_t>(size);
  if (bytes != view.bytes.size()) {
    throw Error(ErrorKind::internal,
                format("tensor '{}' to be written: {} bytes, but its shape takes {}", name, view.bytes.size(), bytes));
  }
}

std::string header_of(const std::map<std::string, TensorView>& tensors) {
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t offset = 0;
  for (const auto& [name, view] : tensors) {
    check_view(name, view);
    const size_t end = offset + view.bytes.size();
    header[name] = {{"dtype", dtype_code(view.dtype)}, {"shape", view.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kAlignmentBytes - text.size() % kAlignmentBytes) % kAlignmentBytes, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors) {
  const std::string header = header_of(tensors);
  const uint64_t length = header.size();
  PendingFile file(path);
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(std::as_bytes(std::span(header)));
  for (const auto& [name, view] : tensors) file.append(view.bytes);
  file.commit();
}

}  // namespace dflash
