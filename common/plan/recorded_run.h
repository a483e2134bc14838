// What a checkpoint says about the run that made it: the coordinator adds state/run.toml and state/run.json to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "proto/manifest.pb.h"
#include "proto/run_config.pb.h"

namespace dflash {

inline constexpr const char* kRecordedSettingsPath = "state/run.toml";  // config_toml of the resolved settings
inline constexpr const char* kRecordedFactsPath = "state/run.json";     // as the run folder's run.json

struct RecordedRun {
  RunConfig config;
  int64_t drafters = 1;
  int64_t total_steps = 0;
  std::string data_hash;    // hash_hex
  std::string layout_hash;  // hash_hex

  /// Batches of one optimizer step: what a resumed run must keep.
  [[nodiscard]] int64_t step_batches() const { return drafters * config.train().accumulation_steps(); }
};

/// `manifest` is the verified one of `folder`. Error{checkpoint} naming the file: one is missing, cannot be read, or
/// says something that does not go with the manifest.
[[nodiscard]] RecordedRun read_recorded_run(const std::filesystem::path& folder, const CheckpointManifest& manifest);

}  // namespace dflash
