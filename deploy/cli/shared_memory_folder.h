// Where Open MPI keeps the shared memory of the ranks of one job: a rank that is killed cannot remove its own.
#pragma once

#include <filesystem>

namespace dflash {

/// Makes a folder in /dev/shm, names it to the mpirun that is started next (by the environment), and removes it with
/// all that is in it; first those that a killed dflash has left. Where there can be none, Open MPI decides.
class SharedMemoryFolder {
 public:
  SharedMemoryFolder();
  ~SharedMemoryFolder();
  SharedMemoryFolder(const SharedMemoryFolder&) = delete;
  SharedMemoryFolder& operator=(const SharedMemoryFolder&) = delete;

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // open and locked: it is no leftover
};

}  // namespace dflash
