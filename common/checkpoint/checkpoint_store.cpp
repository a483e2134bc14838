#include "common/checkpoint/checkpoint_store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/checkpoint/checkpoint_files.h"
#include "common/checkpoint/manifest_file.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNewestKept = 2;

std::string folder_name(int64_t step) {
  return format("step-{:08}", step);
}

/// The step of a folder called step-00000020; nothing for any other name.
std::optional<int64_t> step_of(const std::string& name) {
  constexpr std::string_view kPrefix = "step-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int64_t step = -1;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
  if (step < 0 || folder_name(step) != name) return std::nullopt;
  return step;
}

void check(const std::error_code& error, const std::string& what) {
  if (error) throw_write_error(error.value(), what);
}

void remove_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  check(error, format("cannot remove {}", folder.string()));
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw_write_error(errno, format("cannot rename {} to {}", from.string(), to.string()));
  }
}

std::set<std::string> check_paths(const std::vector<std::string>& files) {
  if (files.empty()) throw Error(ErrorKind::checkpoint, "no file of the checkpoint is announced");
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
  return folder_ / format(".{}.tmp", folder_name(step));
}

fs::path CheckpointStore::final_folder(int64_t step) const {
  return folder_ / folder_name(step);
}

fs::path CheckpointStore::make_staging(int64_t step) const {
  const fs::path staging = staging_folder(step);
  remove_folder(staging);
  for (const char* part : {"state", "drafter"}) {
    std::error_code error;
    fs::create_directories(staging / part, error);
    check(error, format("cannot create {}", (staging / part).string()));
  }
  return staging;
}

void CheckpointStore::commit(int64_t step, int64_t next_sequence, const std::string& config_hash,
                             const std::vector<std::string>& files) const {
  const fs::path staging = staging_folder(step);
  const fs::path target = final_folder(step);
  if (fs::exists(fs::symlink_status(target))) {
    throw Error(ErrorKind::checkpoint, format("{}: there is a checkpoint of this step already", target.string()));
  }
  const std::set<std::string> announced = check_paths(files);
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

std::vector<int64_t> CheckpointStore::committed_steps() const {
  std::vector<int64_t> steps;
  if (!fs::exists(folder_)) return steps;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::optional<int64_t> step = step_of(entry.path().filename().string());
    const bool folder = entry.symlink_status().type() == fs::file_type::directory;
    if (step && folder && fs::exists(entry.path() / kManifestName)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

CheckpointManifest CheckpointStore::verify(int64_t step) const {
  const fs::path folder = final_folder(step);
  CheckpointManifest manifest = read_manifest(folder);
  if (manifest.step() != step) {
    throw Error(ErrorKind::checkpoint, format("{}: its manifest is of step {}", folder.string(), manifest.step()));
  }
  for (const ManifestFile& file : manifest.files()) verify_file(folder, file);
  return manifest;
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

}  // namespace dflash
