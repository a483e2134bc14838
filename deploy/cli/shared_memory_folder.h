// Where Open MPI keeps the shared memory of the ranks of one job: a rank that is killed cannot remove its own.
#pragma once

#include <filesystem>

namespace dflash {

/// Makes a folder in /dev/shm, names it to the mpirun that is started next (by the environment), and removes it with
/// all that is in it. Where there can be none, Open MPI decides.
class SharedMemoryFolder {
 public:
  SharedMemoryFolder();
  ~SharedMemoryFolder();
  SharedMemoryFolder(const SharedMemoryFolder&) = delete;
  SharedMemoryFolder& operator=(const SharedMemoryFolder&) = delete;

 private:
  std::filesystem::path path_;
};

}  // namespace dflash
