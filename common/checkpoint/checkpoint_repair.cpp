// What CheckpointStore does when a run is resumed: later checkpoints make room, what a killed run left is removed.
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/checkpoint/checkpoint_names.h"
#include "common/checkpoint/checkpoint_store.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// aside-NAME, or aside-NAME.2, .3, ... : the first that is free.
fs::path free_aside_folder(const fs::path& folder, const std::string& name) {
  fs::path aside = folder / format("aside-{}", name);
  std::error_code unreadable;  // then the renaming says so
  for (int number = 2; fs::exists(fs::symlink_status(aside, unreadable)); ++number) {
    aside = folder / format("aside-{}.{}", name, number);
  }
  return aside;
}

}  // namespace

std::vector<fs::path> CheckpointStore::set_aside_after(int64_t step) const {
  std::vector<fs::path> asides;
  for (const int64_t later : named_steps()) {
    if (later <= step) continue;
    asides.push_back(free_aside_folder(folder_, step_name(later)));
    rename_folder(final_folder(later), asides.back());
  }
  if (!asides.empty()) sync_folder(folder_);
  return asides;
}

std::vector<fs::path> CheckpointStore::remove_leftovers() const {
  std::vector<fs::path> removed;
  for (const std::string& name : names_in(folder_)) {
    if (!is_staging_name(name)) continue;
    removed.push_back(folder_ / name);
    remove_folder(removed.back());
  }
  return removed;
}

}  // namespace dflash
