#include "common/data/prepare/data_cache.h"

#include <algorithm>
#include <chrono>

#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/data/prepared/prepared_index.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFewEntries = 8;

/// Files that go away meanwhile count nothing.
int64_t bytes_in(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code gone;
  for (const auto& file : fs::directory_iterator(folder, gone)) {
    const uintmax_t size = file.is_regular_file(gone) ? file.file_size(gone) : 0;
    if (!gone) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

std::time_t time_of(const fs::path& file) {
  std::error_code gone;
  const auto time = fs::last_write_time(file, gone);
  if (gone) return 0;
  return std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::file_clock::to_sys(time)));
}

}  // namespace

std::vector<CacheEntry> list_cache(const fs::path& cache) {
  std::vector<CacheEntry> entries;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(cache, failed)) {
    const bool finished = fs::exists(entry.path() / kPreparedName, failed);
    const fs::path index = entry.path() / (finished ? kPreparedName : kPreparingName);
    if (!fs::is_regular_file(index, failed)) continue;
    entries.push_back({entry.path(), finished, bytes_in(entry.path()), time_of(index)});
  }
  std::ranges::sort(entries, [](const CacheEntry& left, const CacheEntry& right) {
    return left.last_use != right.last_use ? left.last_use > right.last_use : left.folder < right.folder;
  });
  return entries;
}

void note_cache_use(const fs::path& folder) {
  std::error_code ignored;
  fs::last_write_time(folder / kPreparedName, fs::file_time_type::clock::now(), ignored);
}

std::string cache_notice(const fs::path& cache) {
  const std::vector<CacheEntry> entries = list_cache(cache);
  if (entries.size() <= kFewEntries) return "";
  int64_t bytes = 0;
  for (const CacheEntry& entry : entries) bytes += entry.bytes;
  return format(
      "{} prepared data sets lie in {}, {}; `dflash inspect data {}` lists them, and what no run needs may be "
      "deleted",
      entries.size(), cache.string(), bytes_text(bytes), cache.string());
}

}  // namespace dflash
