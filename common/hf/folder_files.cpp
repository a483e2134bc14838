#include "common/hf/folder_files.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

bool stands_in(const std::filesystem::path& folder, const char* name) {
  std::error_code unreadable;
  return std::filesystem::exists(std::filesystem::symlink_status(folder / name, unreadable));
}

void refuse_file(const std::filesystem::path& where, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", where.string(), why));
}

}  // namespace dflash
