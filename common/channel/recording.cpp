#include "common/channel/recording.h"

#include <charconv>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {

namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr const char* kFormat = "dflash recording";
constexpr uint64_t kMostBytes = uint64_t{1} << 40;

/// The keys of one recording.json, each checked as it is read.
class Keys {
 public:
  explicit Keys(const fs::path& path) : path_(path), json_(read_json_file(path)) {
    if (!json_.is_object()) refuse("no JSON object");
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::input_file, format("{}: {}", path_.string(), why));
  }
  [[nodiscard]] const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(format("key '{}' is missing", key));
    return *found;
  }
  [[nodiscard]] uint64_t number(const char* key, uint64_t least, uint64_t most) const {
    const Json& value = at(key);
    if (!value.is_number_unsigned() || value.get<uint64_t>() < least || value.get<uint64_t>() > most) {
      refuse(format("key '{}' is no whole number from {} to {}", key, least, most));
    }
    return value.get<uint64_t>();
  }
  [[nodiscard]] std::string text(const char* key) const {
    if (!at(key).is_string()) refuse(format("key '{}' is no text", key));
    return at(key).get<std::string>();
  }
  [[nodiscard]] uint64_t hash(const char* key) const {
    const std::string digits = text(key);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + digits.size()) refuse(format("key '{}' is no hash", key));
    return value;
  }
  [[nodiscard]] bool flag(const char* key) const {
    if (!at(key).is_boolean()) refuse(format("key '{}' is neither true nor false", key));
    return at(key).get<bool>();
  }
  [[nodiscard]] Json object(const char* key) const {
    if (!at(key).is_object()) refuse(format("key '{}' is no object", key));
    return at(key);
  }

 private:
  const fs::path& path_;
  const Json json_;
};

}  // namespace

fs::path batch_path(const fs::path& folder, int64_t sequence) {
  return folder / format("batch-{:012}.bin", sequence);
}

void write_recording(const fs::path& folder, const Recording& recording) {
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"layout_hash", hash_hex(recording.layout_hash)},
                     {"slot_bytes", recording.slot_bytes},
                     {"stored_bytes", recording.stored_bytes},
                     {"storage", recording.storage},
                     {"first_sequence", recording.first_sequence},
                     {"made_with", recording.made_with},
                     {"complete", recording.complete},
                     {"batches", recording.batches},
                     {"measured", recording.measured}};
  write_file_atomic(folder / kRecordingName, json.dump(1) + "\n");
}

Recording read_recording(const fs::path& folder) {
  const fs::path path = folder / kRecordingName;
  const Keys keys(path);
  if (keys.text("format") != kFormat) keys.refuse(format("its format is not '{}'", kFormat));
  if (keys.number("version", 0, UINT64_MAX) != kVersion) {
    keys.refuse(format("its version is not {}: record again, or use the dflash that recorded it", kVersion));
  }
  Recording recording;
  recording.layout_hash = keys.hash("layout_hash");
  recording.slot_bytes = keys.number("slot_bytes", 1, kMostBytes);
  recording.stored_bytes = keys.number("stored_bytes", 1, kMostBytes);
  recording.storage = keys.text("storage");
  recording.first_sequence = static_cast<int64_t>(keys.number("first_sequence", 0, kMostBytes));
  recording.made_with = keys.object("made_with");
  recording.complete = keys.flag("complete");
  recording.batches = static_cast<int64_t>(keys.number("batches", 0, kMostBytes));
  recording.measured = keys.object("measured");
  return recording;
}

}  // namespace dflash
