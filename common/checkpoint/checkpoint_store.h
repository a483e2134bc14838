// CheckpointStore: the folder checkpoints/ of a run. A checkpoint appears by one atomic rename, whole or not at all.
//
//   checkpoints/.step-00000020.tmp/   staging: the drafter writes state/... and drafter/... here
//   checkpoints/step-00000020/        after commit: MANIFEST.json, state/, drafter/
//
// Order of a commit: flush every file and folder, write MANIFEST.json (sizes and XXH3 of all files), rename, flush the
// folder, then prune: step 0 and the newest two stay.
//
// Threading: one thread. Errors: Error{checkpoint} naming the file, {no_space} when the disk is full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "proto/manifest.pb.h"

namespace dflash {

class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// An empty staging folder for this step, with state/ and drafter/ in it. What an earlier try left is removed.
  std::filesystem::path make_staging(int64_t step) const;
  [[nodiscard]] std::filesystem::path staging_folder(int64_t step) const;
  [[nodiscard]] std::filesystem::path final_folder(int64_t step) const;

  /// Makes the staged files (paths relative to the staging folder) the checkpoint of this step, then prunes.
  void commit(int64_t step, int64_t next_sequence, const std::string& config_hash,
              const std::vector<std::string>& files) const;

  /// Steps that have a manifest, ascending.
  [[nodiscard]] std::vector<int64_t> committed_steps() const;
  /// Reads the manifest and checks presence, size and hash of every file. Error{checkpoint} naming the first that
  /// differs.
  [[nodiscard]] CheckpointManifest verify(int64_t step) const;

 private:
  void prune() const;
  std::filesystem::path folder_;
};

}  // namespace dflash
