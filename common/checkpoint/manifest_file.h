// MANIFEST.json: the CheckpointManifest of a folder as plain JSON, numbers as numbers.
//
// Written by hand through common/base/json.h: protobuf's own JSON writes 64-bit numbers as strings.
#pragma once

#include <filesystem>

#include "proto/manifest.pb.h"

namespace dflash {

constexpr const char* kManifestName = "MANIFEST.json";
constexpr int kManifestVersion = 1;

/// Error{no_space} or {checkpoint}, as write_file_atomic.
void write_manifest(const std::filesystem::path& folder, const CheckpointManifest& manifest);

/// Distrusts every byte. Error{checkpoint} naming the file and what is wrong: no such file, not JSON, another version,
/// a key missing or of the wrong type, a path that is not kept inside the folder.
[[nodiscard]] CheckpointManifest read_manifest(const std::filesystem::path& folder);

/// True for a relative path in normal form that does not lead out of its folder: "state/optimizer.bin".
[[nodiscard]] bool stays_inside(const std::filesystem::path& path);

}  // namespace dflash
