#include "common/checkpoint/manifest_file.h"

#include <string>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"

namespace dflash {
namespace {

/// The value of `key`; T is what it must be.
template <typename T>
T field(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(ErrorKind::checkpoint, format("key '{}' is missing", key));
  const bool fits = std::is_same_v<T, std::string> ? found->is_string() : found->is_number_integer();
  if (!fits) {
    const char* expected = std::is_same_v<T, std::string> ? "text" : "a whole number";
    throw Error(ErrorKind::checkpoint, format("key '{}' is not {}", key, expected));
  }
  return found->get<T>();
}

ManifestFile parse_file(const Json& json) {
  if (!json.is_object()) throw Error(ErrorKind::checkpoint, "an entry of 'files' is no object");
  ManifestFile file;
  file.set_path(field<std::string>(json, "path"));
  file.set_bytes(field<int64_t>(json, "bytes"));
  file.set_xxh3(field<std::string>(json, "xxh3"));
  if (!stays_inside(file.path())) {
    throw Error(ErrorKind::checkpoint, format("'{}' leads out of the checkpoint's folder", file.path()));
  }
  return file;
}

CheckpointManifest parse_manifest(const Json& json) {
  if (!json.is_object()) throw Error(ErrorKind::checkpoint, "no JSON object");
  const auto version = field<int64_t>(json, "version");
  if (version != kManifestVersion) {
    throw Error(ErrorKind::checkpoint, format("version {}, expected {}", version, kManifestVersion));
  }
  CheckpointManifest manifest;
  manifest.set_version(kManifestVersion);
  manifest.set_step(field<int64_t>(json, "step"));
  manifest.set_next_sequence(field<int64_t>(json, "next_sequence"));
  manifest.set_config_hash(field<std::string>(json, "config_hash"));
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array()) throw Error(ErrorKind::checkpoint, "key 'files' is no list");
  for (const Json& file : *files) *manifest.add_files() = parse_file(file);
  return manifest;
}

}  // namespace

void write_manifest(const std::filesystem::path& folder, const CheckpointManifest& manifest) {
  Json files = Json::array();
  for (const ManifestFile& file : manifest.files()) {
    files.push_back({{"path", file.path()}, {"bytes", file.bytes()}, {"xxh3", file.xxh3()}});
  }
  const Json json = {{"version", manifest.version()},
                     {"step", manifest.step()},
                     {"next_sequence", manifest.next_sequence()},
                     {"config_hash", manifest.config_hash()},
                     {"files", files}};
  write_file_atomic(folder / kManifestName, json.dump(2) + "\n");
}

CheckpointManifest read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kManifestName;
  try {
    return parse_manifest(read_json_file(path));
  } catch (const Error& error) {
    // read_json_file speaks of input files and names the path itself.
    const bool named = error.kind() == ErrorKind::input_file;
    throw Error(ErrorKind::checkpoint, named ? error.what() : format("{}: {}", path.string(), error.what()));
  }
}

bool stays_inside(const std::filesystem::path& path) {
  return path.is_relative() && path.has_filename() && path.string() == path.lexically_normal().string() &&
         *path.begin() != ".." && path != ".";
}

}  // namespace dflash
