#include "common/plan/recording_plan.h"

#include <filesystem>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {
namespace {

constexpr const char* kDataHash = "data_hash";
constexpr const char* kTargetHash = "target_config_hash";
constexpr const char* kSeed = "seed";

/// Of a small target of the same shapes as another one at least the settings differ.
std::string target_hash(const RunConfig& config) {
  return hash_hex(hash_text(MappedFile(std::filesystem::path(config.target().model()) / "config.json").text()));
}

std::string text_of(const RecordedFolderReader& folder, const char* key) {
  const Json& made_with = folder.recording().made_with;
  const auto found = made_with.find(key);
  if (found != made_with.end() && found->is_string()) return found->get<std::string>();
  throw Error(ErrorKind::input_file, format("{}: made_with says no '{}': recorded by another program?",
                                            (folder.folder() / kRecordingName).string(), key));
}

StateStorage storage_of(const std::string& name) {
  if (name == "bfloat16") return StateStorage::bfloat16;
  if (name == "float8") return StateStorage::float8;
  throw Error(ErrorKind::config,
              format("batches cannot be stored as '{}'; choose one of: {}", name, join(storage_names(), ", ")));
}

[[noreturn]] void refuse(const RecordedFolderReader& folder, const std::string& why) {
  throw Error(ErrorKind::config, format("the recorded folder {} {}", folder.folder().string(), why));
}

}  // namespace

const std::vector<std::string>& storage_names() {
  static const std::vector<std::string> names{"as-is", "bfloat16", "float8"};
  return names;
}

StoredForm stored_form(const std::string& storage, const BatchLayout& layout, std::shared_ptr<StorageLoss> loss) {
  if (storage == storage_names().front()) {
    return {.name = storage, .slot_bytes = layout.slot_bytes, .stored_bytes = layout.slot_bytes};
  }
  const StateStorage kind = storage_of(storage);
  return {.name = storage,
          .slot_bytes = layout.slot_bytes,
          .stored_bytes = stored_batch_bytes(layout, kind),
          .encode = [=](std::span<const std::byte> slot,
                        std::span<std::byte> stored) { store_batch(slot, layout, kind, stored, *loss); },
          .decode = [=](std::span<const std::byte> stored,
                        std::span<std::byte> slot) { restore_batch(stored, layout, kind, slot); }};
}

StoredForm form_of(const RecordedFolderReader& folder, const BatchLayout& layout) {
  const Recording& recording = folder.recording();
  if (layout.split_layers && recording.storage != storage_names().front()) {
    refuse(folder, format("holds split layers stored as {}: only packed ones are", recording.storage));
  }
  StoredForm form = stored_form(recording.storage, layout);
  if (recording.slot_bytes == form.slot_bytes && recording.stored_bytes == form.stored_bytes) return form;
  refuse(folder, format("stores batches of {} bytes in {}, but these settings give {} and {}", recording.slot_bytes,
                        recording.stored_bytes, form.slot_bytes, form.stored_bytes));
}

Recording plan_recording(const RunConfig& config, const RunPlan& plan, uint64_t data_hash, int64_t first_sequence,
                         const StoredForm& form) {
  Recording recording;
  recording.layout_hash = plan.layout.hash();
  recording.slot_bytes = form.slot_bytes;
  recording.stored_bytes = form.stored_bytes;
  recording.storage = form.name;
  recording.first_sequence = first_sequence;
  recording.made_with = {
      {kDataHash, hash_hex(data_hash)}, {kTargetHash, target_hash(config)}, {kSeed, config.run().seed()}};
  return recording;
}

RecordedFolderReader open_recording(const RunConfig& config, const RunPlan& plan) {
  RecordedFolderReader folder(config.data().recorded());
  const Recording& recording = folder.recording();
  if (text_of(folder, kTargetHash) != target_hash(config)) {
    refuse(folder, "was made with another target than target.model: their config.json differ");
  }
  if (recording.layout_hash != plan.layout.hash()) {
    refuse(folder,
           "holds batches of another layout: data.pack_tokens, target.dtype and the captured layers must be as "
           "when it was recorded");
  }
  static_cast<void>(form_of(folder, plan.layout));
  if (recording.first_sequence != 0) {
    refuse(folder, format("begins with batch {}: a run needs the batches from 0 on", recording.first_sequence));
  }
  return folder;
}

uint64_t recorded_data_hash(const RecordedFolderReader& folder, uint64_t run_seed) {
  const std::string text = text_of(folder, kDataHash);
  const bool digits = text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  const Recording& recording = folder.recording();
  const auto seed = recording.made_with.find(kSeed);
  const bool as_live =
      seed != recording.made_with.end() && *seed == run_seed && recording.storage == storage_names()[0];
  if (digits && as_live) return std::stoull(text, nullptr, 16);
  if (digits) return hash_text(format("{} seed {} stored {}", text, recording.made_with.dump(), recording.storage));
  throw Error(ErrorKind::input_file, format("{}: key '{}' is no hash of 16 hexadecimal digits",
                                            (folder.folder() / kRecordingName).string(), kDataHash));
}

std::string describe_recording(const RunConfig& config, const RecordedFolderReader& folder) {
  const Recording& recording = folder.recording();
  std::string text =
      format("recorded {}: {} batches, stored {}", folder.folder().string(), folder.end_sequence(), recording.storage);
  if (!recording.complete) text += "; the recording did not come to its end";
  if (const auto error = recording.measured.find("relative_rms"); error != recording.measured.end()) {
    text += format("; relative error {}", error->dump());
  }
  const Json& made_with = recording.made_with;
  if (const auto seed = made_with.find(kSeed); seed != made_with.end() && *seed != config.run().seed()) {
    text += format("; recorded with run.seed {}: the order of the documents is of that seed", seed->dump());
  }
  return text + "\n";
}

}  // namespace dflash
