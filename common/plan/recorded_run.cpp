#include "common/plan/recorded_run.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/config/run_config.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostDrafters = 1 << 20;
constexpr int64_t kMostSteps = int64_t{1} << 53;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::checkpoint, format("{}: {}", path.string(), why));
}

/// A file that the manifest does not list was not verified either.
void require_listed(const fs::path& folder, const CheckpointManifest& manifest, const char* path) {
  const auto& files = manifest.files();
  if (std::any_of(files.begin(), files.end(), [&](const ManifestFile& file) { return file.path() == path; })) return;
  refuse(folder, format("holds no {}: a run cannot be resumed from it", path));
}

int64_t read_number(const fs::path& path, const Json& json, const char* key, int64_t most) {
  const auto found = json.find(key);
  const bool fits = found != json.end() && found->is_number_integer();
  const int64_t value = fits ? found->get<int64_t>() : -1;
  if (value < 1 || value > most) refuse(path, format("key '{}' is no whole number from 1 to {}", key, most));
  return value;
}

std::string read_word(const fs::path& path, const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) refuse(path, format("key '{}' is no text", key));
  return found->get<std::string>();
}

void read_facts(const fs::path& path, RecordedRun& run) {
  const Json json = read_json_file(path);
  if (!json.is_object()) refuse(path, "no JSON object");
  run.drafters = read_number(path, json, "drafters", kMostDrafters);
  run.total_steps = read_number(path, json, "total_steps", kMostSteps);
  run.data_hash = read_word(path, json, "data_hash");
  run.layout_hash = read_word(path, json, "layout_hash");
}

void check_position(const fs::path& folder, const CheckpointManifest& manifest, const RecordedRun& run) {
  if (manifest.step() < 0 || manifest.step() > run.total_steps) {
    refuse(folder, format("is of step {} of a run of {} steps", manifest.step(), run.total_steps));
  }
  // Divided, not multiplied: the product may not fit 64 bits.
  const int64_t batches = run.step_batches(), next = manifest.next_sequence();
  if (next < 0 || next % batches != 0 || next / batches != manifest.step()) {
    refuse(folder, format("its next batch is {}, which is not that of step {} with {} batches a step", next,
                          manifest.step(), batches));
  }
}

}  // namespace

RecordedRun read_recorded_run(const fs::path& folder, const CheckpointManifest& manifest) {
  require_listed(folder, manifest, kRecordedSettingsPath);
  require_listed(folder, manifest, kRecordedFactsPath);
  RecordedRun run;
  try {
    run.config = load_run_config(folder / kRecordedSettingsPath, {});
    read_facts(folder / kRecordedFactsPath, run);
  } catch (const Error& error) {
    throw Error(ErrorKind::checkpoint, error.what());  // to the readers they are settings and an input file
  }
  check_position(folder, manifest, run);
  return run;
}

}  // namespace dflash
