#include "common/checkpoint/run_folder.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

void check_run_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder, error))) return;
  if (std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error)) return;
  throw Error(ErrorKind::config,
              format("run folder {} exists and is not empty; choose another run.dir, or remove it", folder.string()));
}

}  // namespace dflash
