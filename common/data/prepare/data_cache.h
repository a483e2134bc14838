// The cache of prepared data beside the runs (data.cache): a folder for each content_key. Nothing is ever removed by
// itself: another run may want it. A person sees what lies there, and deletes folders.
//
//   for (const CacheEntry& entry : list_cache("runs/prepared-data")) say(entry.folder, entry.bytes, entry.last_use);
//
// Threading: functions only; another process may prepare in the cache meanwhile.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace dflash {

struct CacheEntry {
  std::filesystem::path folder;
  bool finished = false;  // else work that was interrupted, or is going on
  int64_t bytes = 0;      // of all its files
  std::time_t last_use = 0;
};

/// The last used first. Empty when there is no such folder, or nothing prepared in it; what else lies there is passed
/// over.
[[nodiscard]] std::vector<CacheEntry> list_cache(const std::filesystem::path& cache);

/// A folder of the cache was taken for a run: that is when it was last used. Nothing where that cannot be written (a
/// cache of somebody else).
void note_cache_use(const std::filesystem::path& folder);

/// A line for a person, when more lies in the cache than a few runs need; else empty.
[[nodiscard]] std::string cache_notice(const std::filesystem::path& cache);

}  // namespace dflash
