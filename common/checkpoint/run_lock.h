// RunLock: one live run at a time in a folder. Two would overwrite each other's checkpoints.
#pragma once

#include <filesystem>

namespace dflash {

/// Held from construction to the end of the object or of its process, however that ends. On a file system without locks
/// it is nothing.
class RunLock {
 public:
  /// Makes the folder where there is none. Error{config} when another process holds its lock.
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// True when a live process holds the folder's lock.
[[nodiscard]] bool is_run_live(const std::filesystem::path& folder);

}  // namespace dflash
