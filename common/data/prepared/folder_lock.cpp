#include "common/data/prepared/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {

namespace fs = std::filesystem;

std::optional<FolderLock> FolderLock::try_take(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_write_error(error.value(), format("cannot create {}", folder.string()));
  FolderLock lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int descriptor = lock.descriptor_->get();
  if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
  return lock;
}

FolderLock FolderLock::take(const fs::path& folder) {
  auto lock = try_take(folder);
  if (lock) return std::move(*lock);
  throw Error(
      ErrorKind::config,
      format("{}: another process is preparing data in it; wait for its end, or name another folder", folder.string()));
}

}  // namespace dflash
