#include "common/checkpoint/checkpoint_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

void flush_file(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = descriptor >= 0 && fsync(descriptor) == 0;
  const int error_number = errno;
  if (descriptor >= 0) close(descriptor);
  if (!flushed) throw_write_error(error_number, format("cannot flush {}", path.string()));
}

}  // namespace

ManifestFile measure_file(const fs::path& folder, const std::string& path) try {
  const MappedFile content(folder / path);
  ManifestFile file;
  file.set_path(path);
  file.set_bytes(static_cast<int64_t>(content.bytes().size()));
  file.set_xxh3(hash_hex(hash_bytes(content.bytes())));
  return file;
} catch (const Error& error) {
  throw Error(ErrorKind::checkpoint, format("a file of the checkpoint is missing: {}", error.what()));
}

void verify_file(const fs::path& folder, const ManifestFile& expected) {
  const ManifestFile found = measure_file(folder, expected.path());
  if (found.bytes() == expected.bytes() && found.xxh3() == expected.xxh3()) return;
  throw Error(
      ErrorKind::checkpoint,
      format("{}: damaged: it has {} bytes and hash {}, the manifest says {} bytes and {}",
             (folder / expected.path()).string(), found.bytes(), found.xxh3(), expected.bytes(), expected.xxh3()));
}

void flush_tree(const fs::path& folder, const std::set<std::string>& announced) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const fs::file_type type = entry.symlink_status().type();
    if (type == fs::file_type::directory) {
      sync_folder(entry.path());
    } else if (type == fs::file_type::regular && announced.contains(entry.path().lexically_relative(folder).string())) {
      flush_file(entry.path());
    } else {
      throw Error(ErrorKind::checkpoint, format("{}: not one of the announced files", entry.path().string()));
    }
  }
  sync_folder(folder);
}

}  // namespace dflash
