// The files of one checkpoint: measured for the manifest, compared with it, flushed to the disk.
//
// Errors: Error{checkpoint} naming the file.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "proto/manifest.pb.h"

namespace dflash {

/// Size and XXH3 of the file at `path` inside `folder`.
[[nodiscard]] ManifestFile measure_file(const std::filesystem::path& folder, const std::string& path);

/// Throws when the file is not, byte for byte, what the manifest says.
void verify_file(const std::filesystem::path& folder, const ManifestFile& expected);

/// Flushes every file and folder below `folder`. Refuses what a manifest of `announced` (paths relative to the folder)
/// does not vouch for: another file, a link, a device.
void flush_tree(const std::filesystem::path& folder, const std::set<std::string>& announced);

}  // namespace dflash
