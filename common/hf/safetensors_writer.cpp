#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/hf/safetensors.h"

namespace dflash {
namespace {

constexpr size_t kAlignmentBytes = 8;

/// A file that is written under a temporary name beside `path` and appears under its own by commit(), or never.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path) : path_(path), temporary_(temporary_name(path)) {
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) throw_write_error(errno, format("cannot create {}", temporary_.string()));
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() {
    close(descriptor_);
    if (!committed_) unlink(temporary_.c_str());
  }

  void append(std::span<const std::byte> bytes) { write_all(descriptor_, bytes, path_); }

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

size_t data_bytes(const TensorView& view) {
  size_t bytes = dtype_bytes(view.dtype);
  for (const int64_t size : view.shape) bytes *= static_cast<size_t>(size);
  return bytes;
}

/// A view made by hand may lie about its bytes; what is written must be readable.
void check_view(const std::string& name, const TensorView& view) {
  if (data_bytes(view) == view.bytes.size()) return;
  throw Error(ErrorKind::internal, format("tensor '{}' to be written: {} bytes, but its shape takes {}", name,
                                          view.bytes.size(), data_bytes(view)));
}

std::string header_of(const std::map<std::string, TensorView>& tensors) {
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t offset = 0;
  for (const auto& [name, view] : tensors) {
    const size_t end = offset + data_bytes(view);
    header[name] = {{"dtype", dtype_code(view.dtype)}, {"shape", view.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kAlignmentBytes - text.size() % kAlignmentBytes) % kAlignmentBytes, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors) {
  for (const auto& [name, view] : tensors) check_view(name, view);
  const std::string header = header_of(tensors);
  const uint64_t length = header.size();
  PendingFile file(path);
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(std::as_bytes(std::span(header)));
  for (const auto& [name, view] : tensors) file.append(view.bytes);
  file.commit();
}

int64_t safetensors_header_bytes(const std::map<std::string, TensorView>& tensors) {
  return static_cast<int64_t>(sizeof(uint64_t) + header_of(tensors).size());
}

}  // namespace dflash
