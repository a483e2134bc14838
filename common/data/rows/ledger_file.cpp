#include "common/data/rows/ledger_file.h"

#include <filesystem>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::equivalent(one, other, ignored) ||
         fs::weakly_canonical(one, ignored) == fs::weakly_canonical(other, ignored);
}

}  // namespace

void check_ledger_file(const std::string& path, const std::vector<std::string>& others) {
  if (path.empty()) return;
  for (const std::string& other : others) {
    if (!is_same_file(path, other)) continue;
    throw Error(ErrorKind::config, format("--ledger {} would replace {}; name another file", path, other));
  }
  std::error_code ignored;
  const fs::path folder = fs::absolute(path).parent_path();
  if (fs::is_directory(folder, ignored)) return;
  throw Error(ErrorKind::config, format("--ledger {}: there is no folder {}", path, folder.string()));
}

void write_ledger_file(const std::string& path, const Json& ledger) {
  if (path.empty()) return;
  write_file_atomic(path, ledger.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n");
}

}  // namespace dflash
