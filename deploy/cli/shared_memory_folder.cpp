#include "deploy/cli/shared_memory_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace dflash {

SharedMemoryFolder::SharedMemoryFolder() {
  std::string name = "/dev/shm/dflash-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  setenv("OMPI_MCA_btl_vader_backing_directory", name.c_str(), 1);
}

SharedMemoryFolder::~SharedMemoryFolder() {
  std::error_code gone_already;
  if (!path_.empty()) std::filesystem::remove_all(path_, gone_already);
}

}  // namespace dflash
