#include "common/checkpoint/checkpoint_store.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/checkpoint/checkpoint_files.h"
#include "common/checkpoint/checkpoint_names.h"
#include "common/checkpoint/manifest_file.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNewestKept = 2;

std::set<std::string> check_paths(std::vector<std::string> files, const std::map<std::string, std::string>& added) {
  if (files.empty()) throw Error(ErrorKind::checkpoint, "no file of the checkpoint is announced");
  for (const auto& [path, content] : added) files.push_back(path);
  std::set<std::string> announced;
  for (const std::string& path : files) {
    if (!stays_inside(path) || path == kManifestName) {
      throw Error(ErrorKind::checkpoint, format("'{}' is no path inside a checkpoint", path));
    }
    if (!announced.insert(path).second) throw Error(ErrorKind::checkpoint, format("'{}' is announced twice", path));
  }
  return announced;
}

}  // namespace

fs::path CheckpointStore::staging_folder(int64_t step) const {
  return folder_ / staging_name(step);
}

fs::path CheckpointStore::final_folder(int64_t step) const {
  return folder_ / step_name(step);
}

fs::path CheckpointStore::make_staging(int64_t step) const {
  const fs::path staging = staging_folder(step);
  remove_folder(staging);
  for (const char* part : {"state", "drafter"}) {
    std::error_code error;
    fs::create_directories(staging / part, error);
    if (error) throw_write_error(error.value(), format("cannot create {}", (staging / part).string()));
  }
  return staging;
}

void CheckpointStore::commit(int64_t step, int64_t next_sequence, const std::string& config_hash,
                             const std::vector<std::string>& files,
                             const std::map<std::string, std::string>& added) const {
  const fs::path staging = staging_folder(step);
  const fs::path target = final_folder(step);
  if (fs::exists(fs::symlink_status(target))) {
    throw Error(ErrorKind::checkpoint, format("{}: there is a checkpoint of this step already", target.string()));
  }
  const std::set<std::string> announced = check_paths(files, added);
  for (const auto& [path, content] : added) write_file_atomic(staging / path, content);
  CheckpointManifest manifest;
  manifest.set_version(kManifestVersion);
  manifest.set_step(step);
  manifest.set_next_sequence(next_sequence);
  manifest.set_config_hash(config_hash);
  for (const std::string& path : announced) *manifest.add_files() = measure_file(staging, path);
  flush_tree(staging, announced);
  write_manifest(staging, manifest);
  rename_folder(staging, target);
  sync_folder(folder_);
  prune();
}

std::vector<int64_t> CheckpointStore::named_steps() const {
  std::vector<int64_t> steps;
  for (const std::string& name : names_in(folder_)) {
    if (const std::optional<int64_t> step = step_of(name)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::vector<int64_t> CheckpointStore::committed_steps() const {
  std::vector<int64_t> steps = named_steps();
  std::erase_if(steps, [this](int64_t step) {
    const fs::path folder = final_folder(step);
    std::error_code unreadable;  // then there is no manifest to be seen
    return fs::symlink_status(folder, unreadable).type() != fs::file_type::directory ||
           !fs::exists(folder / kManifestName, unreadable);
  });
  return steps;
}

CheckpointManifest CheckpointStore::verify(int64_t step) const {
  const fs::path folder = final_folder(step);
  CheckpointManifest manifest = verify_checkpoint(folder);
  if (manifest.step() != step) {
    throw Error(ErrorKind::checkpoint, format("{}: its manifest is of step {}", folder.string(), manifest.step()));
  }
  return manifest;
}

NewestWhole CheckpointStore::newest_whole() const {
  NewestWhole newest;
  const std::vector<int64_t> steps = named_steps();
  for (const int64_t step : std::views::reverse(steps)) {
    try {
      (void)verify(step);
      newest.step = step;
      return newest;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::checkpoint) throw;
      newest.passed_over.emplace_back(error.what());
    }
  }
  return newest;
}

// Renamed before it is removed: a checkpoint disappears as it appeared, whole.
void CheckpointStore::prune() const {
  std::vector<int64_t> steps = committed_steps();
  if (steps.size() <= kNewestKept) return;
  steps.resize(steps.size() - kNewestKept);
  for (const int64_t step : steps) {
    if (step == 0) continue;
    rename_folder(final_folder(step), staging_folder(step));
    remove_folder(staging_folder(step));
  }
}

CheckpointManifest verify_checkpoint(const fs::path& folder) {
  CheckpointManifest manifest = read_manifest(folder);
  for (const ManifestFile& file : manifest.files()) verify_file(folder, file);
  return manifest;
}

}  // namespace dflash
