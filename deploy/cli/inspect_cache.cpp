#include "deploy/cli/inspect_cache.h"

#include <array>
#include <ctime>
#include <filesystem>

#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/prepare/data_cache.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

std::string local_text(std::time_t time) {
  std::tm parts{};
  localtime_r(&time, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts)};
}

}  // namespace

bool is_data_cache(const std::string& path) {
  const fs::path folder(path);
  return fs::is_directory(folder) && !fs::exists(folder / kPreparedName) && !fs::exists(folder / kPreparingName) &&
         !list_cache(folder).empty();
}

Json cache_json(const std::string& path, bool verify) {
  Json entries = Json::array();
  int64_t bytes = 0;
  for (const CacheEntry& entry : list_cache(path)) {
    if (verify && entry.finished) PreparedFolder::open(entry.folder).verify();
    bytes += entry.bytes;
    entries.push_back({{"path", entry.folder.string()},
                       {"state", entry.finished ? "finished" : "unfinished"},
                       {"bytes", entry.bytes},
                       {"last_use", local_text(entry.last_use)}});
  }
  return {{"path", path}, {"kind", "cache"}, {"bytes", bytes}, {"entries", std::move(entries)}};
}

std::string describe_cache(const Json& cache) {
  std::string text = format("{}: {} prepared data set(s), {}; a folder that no run needs may be deleted\n",
                            one_line(cache["path"].get<std::string>()), cache["entries"].size(),
                            bytes_text(cache["bytes"].get<int64_t>()));
  for (const Json& entry : cache["entries"]) {
    text += format("  {:>10}  {:<10}  last used {}  {}\n", bytes_text(entry["bytes"].get<int64_t>()),
                   entry["state"].get<std::string>(), entry["last_use"].get<std::string>(),
                   one_line(entry["path"].get<std::string>()));
  }
  return text;
}

}  // namespace dflash
