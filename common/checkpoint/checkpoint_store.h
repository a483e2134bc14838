// CheckpointStore: the folder checkpoints/ of a run. A checkpoint appears by one atomic rename, whole or not at all.
//
//   checkpoints/.step-00000020.tmp/   staging: the drafter writes state/... and drafter/... here
//   checkpoints/step-00000020/        after commit: MANIFEST.json, state/, drafter/
//   checkpoints/aside-step-00000020/  set aside: of a run that was resumed from an earlier step
//
// Order of a commit: flush every file and folder, write MANIFEST.json (sizes and XXH3 of all files), rename, flush the
// folder, then prune: step 0 and the newest two stay.
//
// Nothing that lies in the folder is believed before it is verified. Threading: one thread. Errors: Error{checkpoint}
// naming the file, {no_space} when the disk is full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/manifest.pb.h"

namespace dflash {

/// The newest checkpoint that verifies, and a line for each newer one that does not.
struct NewestWhole {
  std::optional<int64_t> step;
  std::vector<std::string> passed_over;  // the newest first
};

class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// An empty staging folder for this step, with state/ and drafter/ in it. What an earlier try left is removed.
  std::filesystem::path make_staging(int64_t step) const;
  [[nodiscard]] std::filesystem::path staging_folder(int64_t step) const;
  [[nodiscard]] std::filesystem::path final_folder(int64_t step) const;

  /// Makes the staged files (paths relative to the staging folder) the checkpoint of this step, then prunes. `added`
  /// are files that are written here first: path, content.
  void commit(int64_t step, int64_t next_sequence, const std::string& config_hash,
              const std::vector<std::string>& files, const std::map<std::string, std::string>& added = {}) const;

  /// Steps that have a manifest, ascending.
  [[nodiscard]] std::vector<int64_t> committed_steps() const;
  /// Reads the manifest and checks presence, size and hash of every file. Error{checkpoint} naming the first that
  /// differs.
  [[nodiscard]] CheckpointManifest verify(int64_t step) const;
  /// No step and no line when there is nothing that is called a checkpoint.
  [[nodiscard]] NewestWhole newest_whole() const;

  // What is done to the folder when a run is resumed; doing it twice changes nothing more.

  /// Renames whatever is called a checkpoint of a later step, whole or not: kept, but no checkpoint of this run any
  /// more. Returns the new folders.
  std::vector<std::filesystem::path> set_aside_after(int64_t step) const;
  /// Removes the staging folders of a killed run. Returns them.
  std::vector<std::filesystem::path> remove_leftovers() const;

 private:
  /// Steps of everything that is called a checkpoint, ascending.
  [[nodiscard]] std::vector<int64_t> named_steps() const;
  void prune() const;
  std::filesystem::path folder_;
};

/// Reads the manifest of any checkpoint folder and checks presence, size and hash of every file that it lists.
/// Error{checkpoint} naming the first that differs.
[[nodiscard]] CheckpointManifest verify_checkpoint(const std::filesystem::path& folder);

}  // namespace dflash
