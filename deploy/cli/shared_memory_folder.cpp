#include "deploy/cli/shared_memory_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "common/base/scoped_descriptor.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShared = "/dev/shm";
constexpr const char* kPrefix = "dflash-";

/// A descriptor by which the folder is locked for as long as it is open; -1 when somebody else holds it, or it is gone.
int lock_folder(const fs::path& folder) {
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock < 0) return -1;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0 && access(folder.c_str(), F_OK) == 0) return lock;
  close(lock);
  return -1;
}

/// What a dflash that was killed could not remove: nobody holds its lock.
void remove_leftovers() {
  std::error_code ignored;  // somebody else's, or gone meanwhile
  for (const auto& entry : fs::directory_iterator(kShared, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const ScopedDescriptor lock(lock_folder(entry.path()));
    if (lock.get() >= 0) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

SharedMemoryFolder::SharedMemoryFolder() {
  remove_leftovers();
  constexpr int kTries = 3;  // another dflash may take a new folder for a leftover before it is locked
  for (int i = 0; i < kTries && path_.empty(); ++i) {
    std::string name = std::string(kShared) + "/" + kPrefix + "XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return;
    lock_ = lock_folder(name);
    if (lock_ >= 0) path_ = name;
  }
  if (!path_.empty()) setenv("OMPI_MCA_btl_vader_backing_directory", path_.c_str(), 1);
}

SharedMemoryFolder::~SharedMemoryFolder() {
  std::error_code gone_already;
  if (!path_.empty()) fs::remove_all(path_, gone_already);
  if (lock_ >= 0) close(lock_);
}

}  // namespace dflash
