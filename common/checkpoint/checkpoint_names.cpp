#include "common/checkpoint/checkpoint_names.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {

namespace fs = std::filesystem;

std::string step_name(int64_t step) {
  return format("step-{:08}", step);
}

std::string staging_name(int64_t step) {
  return format(".{}.tmp", step_name(step));
}

std::optional<int64_t> step_of(const std::string& name) {
  constexpr std::string_view kPrefix = "step-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int64_t step = -1;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
  if (step < 0 || step_name(step) != name) return std::nullopt;
  return step;
}

bool is_staging_name(const std::string& name) {
  constexpr std::string_view kBegin = ".", kEnd = ".tmp";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || name.size() < kBegin.size() + kEnd.size()) return false;
  return step_of(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size())).has_value();
}

std::vector<std::string> names_in(const fs::path& folder) try {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
} catch (const fs::filesystem_error& error) {
  throw Error(ErrorKind::checkpoint, format("{}: cannot be listed: {}", folder.string(), error.code().message()));
}

void remove_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) throw_write_error(error.value(), format("cannot remove {}", folder.string()));
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw_write_error(errno, format("cannot rename {} to {}", from.string(), to.string()));
  }
}

}  // namespace dflash
