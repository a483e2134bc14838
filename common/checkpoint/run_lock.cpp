#include "common/checkpoint/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

/// The folder itself is what is locked: no file is left. -1 when it cannot be opened.
int open_folder(const std::filesystem::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Tries for the lock, exclusive or shared: a probe must not keep a run from beginning.
bool held_by_another(int descriptor, int kind) {
  return flock(descriptor, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_write_error(error.value(), format("cannot create {}", folder.string()));
  descriptor_ = open_folder(folder);
  if (descriptor_ < 0 || !held_by_another(descriptor_, LOCK_EX)) return;
  close(descriptor_);
  throw Error(ErrorKind::config,
              format("a run is live in {}; wait for its end, stop it, or choose another run.dir", folder.string()));
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool is_run_live(const std::filesystem::path& folder) {
  const int descriptor = open_folder(folder);
  if (descriptor < 0) return false;
  const bool live = held_by_another(descriptor, LOCK_SH);
  close(descriptor);  // and with it the lock, if it was free
  return live;
}

}  // namespace dflash
